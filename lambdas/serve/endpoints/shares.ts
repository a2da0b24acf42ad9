import { sharesEndpoints } from '../../../contract/endpoints/shares';
import { serveFrom } from '../serve';

export const serve = serveFrom(sharesEndpoints);
