import { jobsEndpoints } from '../../../contract/endpoints/jobs';
import { serveFrom } from '../serve';

export const serve = serveFrom(jobsEndpoints);
