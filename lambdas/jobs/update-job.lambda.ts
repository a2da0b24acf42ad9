import * as endpoints from '../../contract/jobs/jobs.endpoints';
import { changeJob } from '../../data/jobs/job-changes';
import { ifMatch } from '../serve/if-match';
import { jsonBody } from '../serve/json-body';
import { serve } from '../serve/serve';

export const handler = serve(
  'PATCH /v3/jobs/{jobId}',
  endpoints.updateJob,
  async ({ caller, path, body, now, requestId, ifVersions }) => ({
    success: true,
    job: await changeJob(caller.organisation, path.jobId, body, { changeId: requestId, now, ifVersions }),
  }),
  jsonBody,
  ifMatch,
);
