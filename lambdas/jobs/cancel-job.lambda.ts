import * as endpoints from '../../contract/jobs/jobs.endpoints';
import { storeCancellation } from '../../data/jobs/job-changes';
import { serve } from '../serve/serve';

export const handler = serve(
  'POST /v3/jobs/{jobId}/cancel',
  endpoints.cancelJob,
  async ({ caller, path, now, requestId }) => {
    const { jobId, cancelledAt } = await storeCancellation(caller.organisation, path.jobId, {
      changeId: requestId,
      now,
    });
    return { success: true, job: { jobId, status: 'CANCELLED', cancelledAt: cancelledAt ?? now } };
  },
);
