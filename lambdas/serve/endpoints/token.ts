import { tokenEndpoints } from '../../../contract/endpoints/token';
import { serveFrom } from '../serve';

export const serve = serveFrom(tokenEndpoints);
