/**
 * What an instance remembers of the devices whose samples it received. It saves calls only: emptied at any moment, the
 * record and the saved states are the same, and a follower may be sent again what was sent since the last save.
 */
import { readDevices } from '../../data/fleet/save-device-state';
import { readNamedJobs, type FollowedJob, type FollowedJobs } from '../../data/jobs/named-jobs';
import type { Device } from '../../domain/fleet/device';
import { organisationOf, type Organisation } from '../../domain/values/id';
import { stateBeside, type Decision, type KnownDevice } from '../../domain/fleet/sample-decision';
import { seemsOverdue } from '../../domain/fleet/state-saving';
import { clockDifference, watchClock, type ClockWatch } from '../../domain/telemetry/clock-difference';
import type { Sample } from '../../domain/telemetry/sample';
import { logger } from '../runtime/logger';
import { followedGroup, FOLLOWERS_KNOWN_FOR_MS } from './followed-group';

const MAX_DEVICES = 10_000;
/**
 * How long a device that was read or written counts as one of the fleet, in ms: one that is removed meanwhile fails its
 * next write.
 */
const KNOWN_FOR_MS = 60_000;

/** After so many times in a row that a device was due as it seemed, an instance writes its state without a read. */
const TRUSTED_AFTER = 10;

/** The clocks of two functions differ by less, in ms. */
const CLOCKS_DIFFER_MS = 2000;

interface DeviceMemory extends KnownDevice {
  /** When it was read or written, Unix ms. */
  readonly knownAt: number;
  /** How many times in a row it was due as it seemed, when it was read anew; 0 after another instance had saved it. */
  readonly trust: number;
}

const memory = new Map<string, DeviceMemory>();

/**
 * Those of the devices that the organisation has, by their identifiers: as this instance knows them, or by one read for
 * all others.
 * @throws Error when the read failed
 */
export async function knownDevices(
  organisation: Organisation,
  deviceIds: readonly string[],
  now: Date,
): Promise<Map<string, KnownDevice>> {
  const own = deviceIds.filter((deviceId) => organisationOf('device', deviceId) === organisation);
  const remembered = await Promise.all(
    own
      .map((deviceId) => memory.get(deviceId))
      .map(async (known) => ((await isUpToDate(known, now)) ? known : undefined)),
  );
  const others = own.filter((_, index) => !remembered[index]);
  const read = others.length > 0 ? await readDevices(organisation, others) : [];
  for (const deviceId of others) if (!read.some((device) => device.deviceId === deviceId)) forgetDevice(deviceId);
  for (const device of read) rememberDevice(device, now);
  const known = [
    ...remembered.filter((each) => each !== undefined),
    ...read.map((device) => memory.get(device.deviceId) ?? { device }),
  ];
  return new Map(known.map((each) => [each.device.deviceId, each]));
}

/**
 * Not after a while; nor when somebody began to follow a device of its group since then, perhaps this one; nor when a
 * device seems to be due that other instances save too: a read costs a fifth of a write that is refused (DynamoDB
 * on-demand pricing).
 */
async function isUpToDate(known: DeviceMemory | undefined, now: Date): Promise<boolean> {
  if (!known || known.knownAt + KNOWN_FOR_MS <= now.getTime()) return false;
  if (known.trust < TRUSTED_AFTER && seemsOverdue(known.device, now)) return false;
  const { membersFollowedAt = 0 } = await followedGroup(known.device.deviceGroupId);
  return membersFollowedAt + CLOCKS_DIFFER_MS < known.knownAt;
}

/** Jobs that devices are known to fly: the parts of a device's state come several times a second. */
const knownJobs = new Map<string, { readonly job: FollowedJob | undefined; readonly readAt: number }>();

/**
 * The organisation's jobs that samples name, and those that their devices are known to fly where they name none; by one
 * read, or none for what was read in the last half second and is not named.
 * @throws Error when the read failed
 */
export async function flownJobs(
  organisation: Organisation,
  samples: readonly Sample[],
  devices: ReadonlyMap<string, KnownDevice>,
  now: Date,
): Promise<FollowedJobs> {
  const named = samples.flatMap(({ jobId }) => jobId ?? []);
  const flown = samples.flatMap(({ deviceId, jobId }) =>
    jobId === undefined ? (knownJobOf(devices.get(deviceId)) ?? []) : [],
  );
  const remembered = flown.filter(
    (jobId) => (knownJobs.get(jobId)?.readAt ?? 0) > now.getTime() - FOLLOWERS_KNOWN_FOR_MS,
  );
  const others = flown.filter((jobId) => !remembered.includes(jobId));
  const read = await readNamedJobs(organisation, [...named, ...others]);
  if (knownJobs.size + others.length > MAX_DEVICES) knownJobs.clear();
  for (const [jobId, job] of read) if (others.includes(jobId)) knownJobs.set(jobId, { job, readAt: now.getTime() });
  return new Map([...remembered.map((jobId) => [jobId, knownJobs.get(jobId)?.job] as const), ...read]);
}

const knownJobOf = (known: KnownDevice | undefined) => (known?.latest ?? known?.device.lastState)?.jobId;

/** Remembers a device that was read or written just now. @param isSaved whether this instance has saved its state */
export function rememberDevice(device: Device, now: Date, isSaved = false): void {
  const { deviceId } = device;
  const before = memory.get(deviceId);
  // The device that was not remembered anew for longest makes room.
  memory.delete(deviceId);
  const [oldest] = memory.keys();
  if (memory.size >= MAX_DEVICES && oldest !== undefined) memory.delete(oldest);
  const trust = before && !isSaved ? trustAfter(before, device, now) : (before?.trust ?? TRUSTED_AFTER);
  const latest = isSaved ? before?.latest : stateBeside(device, before?.latest);
  const kept = device.lastState ? before : undefined;
  memory.set(deviceId, { ...kept, device, latest, knownAt: now.getTime(), trust });
}

/** The trust in what is known of a device, after it was found to be another one, or the same. */
function trustAfter({ device, trust }: DeviceMemory, found: Device, now: Date): number {
  if (!seemsOverdue(device, now)) return trust;
  return seemsOverdue(found, now) ? Math.min(trust + 1, TRUSTED_AFTER) : 0;
}

/** Remembers what is known of a device, which need not be saved, and what its followers are owed. */
export function rememberState(deviceId: string, { state, owed }: Pick<Decision, 'state' | 'owed'>): void {
  const known = memory.get(deviceId);
  if (known) memory.set(deviceId, { ...known, latest: state, owed });
}

/** Remembers that a position is recorded. @param timestamp when it was measured, ISO 8601 */
export function rememberRecorded(deviceId: string, timestamp: string): void {
  const known = memory.get(deviceId);
  if (known) memory.set(deviceId, { ...known, recordedAt: Date.parse(timestamp) });
}

/** What is known of the clocks of devices, and whether the log says so. */
const clocks = new Map<string, { readonly watch: ClockWatch; readonly isLogged: boolean }>();

/**
 * Notes when a message was measured.
 * @param newest of its samples of one device
 * @returns by how many seconds the clock of the device is behind, negative when it is ahead; undefined: not that is known
 */
export function noteClock(newest: Sample, now: Date): number | undefined {
  const { deviceId } = newest;
  const before = clocks.get(deviceId);
  const watch = watchClock(before?.watch, newest, now);
  const seconds = clockDifference(watch, now);
  const isLogged = seconds !== undefined;
  if (isLogged && before?.isLogged !== true) logger.warn('clock differs', { deviceId, seconds });
  if (!before && clocks.size >= MAX_DEVICES) clocks.clear();
  clocks.set(deviceId, { watch, isLogged });
  return seconds;
}

/**
 * Forgets a device that was removed, or whose samples may not have been accepted: they must count as new when they are
 * sent again.
 */
export const forgetDevice = (deviceId: string): boolean => memory.delete(deviceId);
