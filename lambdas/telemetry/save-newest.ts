/** What is known of a device is saved as its state, as often as it takes. */
import { scheduleOfflineCheck } from '../../data/fleet/device-checks';
import { saveState } from '../../data/fleet/save-device-state';
import { readNamedJobs, type FollowedJobs } from '../../data/jobs/named-jobs';
import type { Device } from '../../domain/fleet/device';
import { OFFLINE_AFTER_MS } from '../../domain/fleet/offline';
import { decide, stateBeside, type Decision, type KnownDevice } from '../../domain/fleet/sample-decision';
import { deviceAfter } from '../../domain/fleet/state-saving';
import { isAnybodyFollowing } from '../../domain/telemetry/followed-until';
import type { Sample } from '../../domain/telemetry/sample';
import type { Organisation } from '../../domain/values/id';
import { forgetDevice, rememberDevice, rememberState } from './device-memory';
import { followedGroup } from './followed-group';

/** What samples were received with. */
export interface ReceivedWith {
  readonly organisation: Organisation;
  readonly jobs: FollowedJobs;
  readonly now: Date;
}

/** Attempts to save a state when other writes come first. */
const MAX_ATTEMPTS = 4;

/**
 * Decides, and saves what is known of the device if that is due, by one write and no read. Decides again when the device is
 * another one than this instance knew.
 * @returns the device as it was before the write; undefined when it was removed
 */
export async function saveNewest(
  received: ReceivedWith,
  known: KnownDevice,
  samples: readonly Sample[],
  attempt = 1,
): Promise<{ readonly device: Device | undefined; readonly decision: Decision }> {
  const { organisation, jobs, now } = received;
  const { deviceId, status } = known.device;
  const decision = decide(known, samples, jobs, now);
  const { saving } = decision;
  rememberState(deviceId, decision);
  if (saving.kind !== 'write') return { device: known.device, decision };
  // Before it is marked online, since the function may end at any time: an online device without a check would stay online.
  if (status !== 'online') await scheduleOfflineCheck({ organisation, deviceId }, OFFLINE_AFTER_MS);
  const isQuiet = await needsNobody(received, known.device, saving.state.jobId);
  const { isSaved, device } = await saveState(organisation, known.device, { ...saving, now, isQuiet });
  if (!device) {
    forgetDevice(deviceId);
    return { device, decision };
  }
  if (isSaved) {
    rememberDevice(deviceAfter(device, saving, now), now, true);
    return { device, decision };
  }
  if (attempt === MAX_ATTEMPTS) throw new Error('a state could not be saved: other writes came first each time');
  rememberDevice(device, now);
  const latest = stateBeside(device, known.latest);
  return saveNewest(await withJobOf(device, received), { ...known, device, latest }, samples, attempt + 1);
}

/** With the job that another instance has saved for a device: it may have ended since. */
async function withJobOf({ lastState }: Device, received: ReceivedWith): Promise<ReceivedWith> {
  const jobId = lastState?.jobId;
  if (jobId === undefined || received.jobs.has(jobId)) return received;
  const found = await readNamedJobs(received.organisation, [jobId]);
  return { ...received, jobs: new Map([...received.jobs, ...found]) };
}

/** Whether nobody needs the record of a write in the stream: nobody follows the device's group, or the job that it flies. */
async function needsNobody(
  { jobs, now }: ReceivedWith,
  { status, deviceGroupId }: Device,
  jobId: string | undefined,
): Promise<boolean> {
  const job = jobs.get(jobId ?? '');
  const isFollowed =
    isAnybodyFollowing(await followedGroup(deviceGroupId), now) || isAnybodyFollowing(job?.followed, now);
  return status === 'online' && !isFollowed;
}
