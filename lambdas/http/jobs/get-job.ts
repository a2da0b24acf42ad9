import * as endpoints from '../../../contract/endpoints/jobs';
import { findJob } from '../../../data/jobs/jobs';
import { serve } from '../../serve/serve';

export const handler = serve('GET /v3/jobs/{jobId}', endpoints.getJob, async ({ caller, path }) => ({
  success: true,
  job: await findJob(caller.organisation, path.jobId),
}));
