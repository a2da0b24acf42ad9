import * as endpoints from '../../contract/jobs/jobs.endpoints';
import { readJobPage } from '../../data/jobs/jobs';
import { serve } from '../serve/serve';

export const handler = serve('GET /v3/jobs', endpoints.listJobs, async ({ caller, query }) => {
  const page = await readJobPage(caller.organisation, query);
  return { success: true, ...page, count: page.jobs.length };
});
