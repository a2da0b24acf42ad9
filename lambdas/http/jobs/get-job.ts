import { findJob } from '../../../data/jobs';
import { serve } from '../../serve/jobs';

export const handler = serve('GET /v3/jobs/{jobId}', async ({ caller, path }) => ({
  success: true,
  job: await findJob(caller.organisation, path.jobId),
}));
