import { eventsEndpoints } from '../../../contract/endpoints/events';
import { serveFrom } from '../serve';

export const serve = serveFrom(eventsEndpoints);
