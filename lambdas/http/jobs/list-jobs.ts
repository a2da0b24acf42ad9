import { listJobs } from '../../../data/jobs/jobs';
import { serve } from '../../serve/endpoints/jobs';

export const handler = serve('GET /v3/jobs', async ({ caller, query }) => {
  const page = await listJobs(caller.organisation, query);
  return { success: true, ...page, count: page.jobs.length };
});
