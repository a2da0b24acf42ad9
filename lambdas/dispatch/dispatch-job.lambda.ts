import { dispatchJob } from '../../contract/dispatch/dispatch.endpoints';
import { expectDeviceGroup } from '../../data/fleet/registered-parts';
import { insertDispatchedJob } from '../../data/jobs/jobs';
import { keepFlownMission } from '../../data/missions/missions';
import { scheduleTakeDeadline } from '../../data/jobs/schedule-take-deadline';
import { newId } from '../../data/store/new-id';
import { expectDestination } from '../../domain/values/destination';
import { dispatchPlace, noDevice } from '../../domain/dispatch/candidate';
import { newJob, withMission } from '../../domain/jobs/job-request';
import { freshIdempotencyKey } from '../serve/idempotency-key';
import { jsonBody } from '../serve/json-body';
import { serve } from '../serve/serve';
import type { Organisation } from '../../domain/values/id';
import { lookAtDevices, type Nearest, type DispatchTarget } from './look-at-devices';

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

/**
 * Takes the nearest device that is free.
 * @param now ISO 8601
 * @param take claims a device, with those that were looked at so far, nearest first; undefined when another call has claimed it
 * @returns what was taken
 * @throws Refusal `no_device` with the reasons
 */
async function takeNearest<Taken>(
  organisation: Organisation,
  target: DispatchTarget,
  now: string,
  take: (device: Nearest, candidates: readonly Nearest[]) => Promise<Taken | undefined>,
): Promise<Taken> {
  const looked: Nearest[] = [];
  for await (const known of lookAtDevices(organisation, target, now)) {
    for (const [index, device] of known.entries()) {
      const taken = device.reason ? undefined : await take(device, [...looked, ...known]);
      if (taken !== undefined) return taken;
      known[index] = { reason: 'BUSY', ...device };
    }
    looked.push(...known);
  }
  throw noDevice(looked);
}
