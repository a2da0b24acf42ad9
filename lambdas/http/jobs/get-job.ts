import { findJob } from '../../../data/jobs/jobs';
import { serve } from '../../serve/endpoints/jobs';

export const handler = serve('GET /v3/jobs/{jobId}', async ({ caller, path }) => ({
  success: true,
  job: await findJob(caller.organisation, path.jobId),
}));
