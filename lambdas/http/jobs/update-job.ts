import * as endpoints from '../../../contract/endpoints/jobs';
import { changeJob } from '../../../data/jobs/job-changes';
import { serve } from '../../serve/serve';

export const handler = serve(
  'PATCH /v3/jobs/{jobId}',
  endpoints.updateJob,
  async ({ caller, path, body, now, requestId, ifVersion }) => ({
    success: true,
    job: await changeJob(caller.organisation, path.jobId, body, { changeId: requestId, now, ifVersion }),
  }),
);
