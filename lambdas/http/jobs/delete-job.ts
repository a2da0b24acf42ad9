import { deleteJob } from '../../../data/jobs/jobs';
import { serve } from '../../serve/endpoints/jobs';

export const handler = serve('DELETE /v3/jobs/{jobId}', async ({ caller, path }) => {
  await deleteJob(caller.organisation, path.jobId);
  return { success: true, message: 'Job deleted successfully' };
});
