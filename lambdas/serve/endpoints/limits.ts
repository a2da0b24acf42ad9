import { limitsEndpoints } from '../../../contract/endpoints/limits';
import { serveFrom } from '../serve';

export const serve = serveFrom(limitsEndpoints);
