import { listJobs } from '../../../data/jobs';
import { serve } from '../../serve/jobs';

export const handler = serve('GET /v3/jobs', async ({ caller, query }) => {
  const page = await listJobs(caller.organisation, query);
  return { success: true, ...page, count: page.jobs.length };
});
