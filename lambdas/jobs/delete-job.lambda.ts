import * as endpoints from '../../contract/jobs/jobs.endpoints';
import { removeJob } from '../../data/jobs/jobs';
import { serve } from '../serve/serve';

export const handler = serve('DELETE /v3/jobs/{jobId}', endpoints.deleteJob, async ({ caller, path }) => {
  await removeJob(caller.organisation, path.jobId);
  return { success: true, message: 'Job deleted successfully' };
});
