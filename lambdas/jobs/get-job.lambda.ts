import * as endpoints from '../../contract/jobs/jobs.endpoints';
import { readDevice } from '../../data/fleet/devices';
import { findJob } from '../../data/jobs/jobs';
import { isFlown } from '../../domain/jobs/job-lifecycle';
import { asMeasured } from '../../domain/telemetry/known-state';
import { newestProgress } from '../../domain/jobs/progress';
import { serve } from '../serve/serve';

export const handler = serve('GET /v3/jobs/{jobId}', endpoints.getJob, async ({ caller, path }) => {
  const job = await findJob(caller.organisation, path.jobId);
  const { deviceId, status } = job;
  const device =
    deviceId !== undefined && isFlown(status) ? await readDevice(caller.organisation, deviceId) : undefined;
  return {
    success: true,
    job: { ...job, progress: newestProgress(job, device?.lastState && asMeasured(device.lastState, 'progress')) },
  };
});
