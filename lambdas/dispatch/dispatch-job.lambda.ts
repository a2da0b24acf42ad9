import { dispatchJob } from '../../contract/dispatch/dispatch.endpoints';
import { expectDeviceGroup } from '../../data/fleet/devices';
import { insertDispatchedJob } from '../../data/jobs/jobs';
import { keepFlownMission } from '../../data/missions/missions';
import { scheduleTakeDeadline } from '../../data/jobs/schedule-take-deadline';
import { newId } from '../../data/store/new-id';
import { expectDestination } from '../../domain/values/destination';
import { dispatchPlace } from '../../domain/dispatch/candidate';
import { newJob, withMission } from '../../domain/jobs/job';
import { takeNearest } from './take-nearest';
import { freshIdempotencyKey } from '../serve/idempotency-key';
import { jsonBody } from '../serve/json-body';
import { serve } from '../serve/serve';

export const handler = serve(
  'POST /v3/jobs/dispatch',
  dispatchJob,
  async ({ caller, body, now, firstAnswer }) => {
    const { maxEtaSeconds: _, ...request } = body;
    expectDestination(request);
    const mission = await keepFlownMission(caller.organisation, request, now);
    const place = dispatchPlace(request, mission);
    if (body.deviceGroupId !== undefined) await expectDeviceGroup(caller.organisation, body.deviceGroupId);
    const jobId = newId('job', caller.organisation, now);
    // Before the job: without its deadline, one that nobody takes would keep its device for good.
    await scheduleTakeDeadline(jobId);
    return takeNearest(caller.organisation, { ...body, place }, now, async (device, candidates) => {
      const { deviceId, deviceGroupId, distance, etaSeconds, outlived } = device;
      const created = newJob({ ...request, deviceGroupId, deviceId }, jobId, now);
      const job = { ...withMission(created, mission), deviceId };
      const reply = { success: true as const, job, distance, etaSeconds, candidates: [...candidates] };
      return (await insertDispatchedJob(caller, job, outlived, firstAnswer(reply))) ? reply : undefined;
    });
  },
  jsonBody,
  // A repeat must schedule no other deadline.
  freshIdempotencyKey,
);
