import { fleetEndpoints } from '../../../contract/endpoints/fleet';
import { serveFrom } from '../serve';

export const serve = serveFrom(fleetEndpoints);
