import { changeJob } from '../../../data/jobs/job-changes';
import { serve } from '../../serve/endpoints/jobs';

export const handler = serve('PATCH /v3/jobs/{jobId}', async ({ caller, path, body, now, requestId, ifVersion }) => ({
  success: true,
  job: await changeJob(caller.organisation, path.jobId, body, { changeId: requestId, now, ifVersion }),
}));
