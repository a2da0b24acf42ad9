import { isReportDue, saveState, recordReport, writeReasonOf, readDevices } from '../../../data/fleet/device-state';
import { scheduleOfflineCheck } from '../../../data/fleet/offline-check';
import { scheduleTrailingSave } from '../../../data/fleet/trailing-states';
import type { Device } from '../../../domain/fleet';
import type { Organisation } from '../../../domain/id';
import { takeOffAfter } from '../../../domain/flight';
import { Refusal, type Detail } from '../../../domain/refusal';
import { MAX_AHEAD_MS, isReadableAsJson, OFFLINE_AFTER_MS, sequenceOf, type Sample } from '../../../domain/telemetry';
import { allSettled } from '../all-settled';
import { deliverTelemetry, findFollowers, type FollowersOf } from './deliver-telemetry';
import { sampleMessage } from './sample-message';

/** Sequence of the latest sample of each device that this instance accepted: between two writes it is only in memory. */
const latest = new Map<string, number>();
const MAX_CACHED = 10_000;

function remember(deviceId: string, newest: Sample | undefined): void {
  if (!newest) return;
  if (latest.size >= MAX_CACHED) latest.clear();
  latest.set(deviceId, sequenceOf(newest));
}

/** The samples that are later than any known sample of the device, in order, without duplicate timestamps. */
function newSamples(device: Device, samples: readonly Sample[]): Sample[] {
  let last = Math.max(latest.get(device.deviceId) ?? 0, device.lastState ? sequenceOf(device.lastState) : 0);
  const inOrder = samples.toSorted((a, b) => sequenceOf(a) - sequenceOf(b));
  return inOrder.filter((sample) => {
    const isLater = sequenceOf(sample) > last;
    if (isLater) last = sequenceOf(sample);
    return isLater;
  });
}

/** The new samples of one device in a message, in order. */
interface DeviceReport {
  readonly device: Device;
  readonly accepted: readonly Sample[];
}

/** Saves the newest sample of a device. @returns the sample when it is too early to save it */
async function save(
  organisation: Organisation,
  { device, accepted }: DeviceReport,
  now: Date,
): Promise<Sample | undefined> {
  const newest = accepted.at(-1);
  if (!newest) return undefined;
  const writeReason = writeReasonOf(device, accepted, now);
  if (!writeReason) return newest;
  const { deviceId, ...state } = newest;
  // Before it is marked online, since the function may end at any time: an online device without a check would stay online.
  if (device.status !== 'online') await scheduleOfflineCheck({ organisation, deviceId }, OFFLINE_AFTER_MS);
  const takeOff = takeOffAfter(device, accepted);
  const change = { before: device.takeOff, after: takeOff };
  const saved = await saveState(organisation, deviceId, state, now, writeReason, change);
  // The device was marked offline after it was read, which ended its offline check.
  if (saved.outcome === 'saved' && device.status === 'online' && !saved.wasOnline)
    await scheduleOfflineCheck({ organisation, deviceId }, OFFLINE_AFTER_MS);
  return saved.outcome === 'too early' ? newest : undefined;
}

/** A device that sends only old samples is online all the same: its clock was ahead, or they arrived out of order. */
async function noteOldReport(organisation: Organisation, { device, accepted }: DeviceReport, now: Date): Promise<void> {
  if (accepted.length > 0 || !isReportDue(device, now)) return;
  const { deviceId, status } = device;
  if (status !== 'online') await scheduleOfflineCheck({ organisation, deviceId }, OFFLINE_AFTER_MS);
  await recordReport(organisation, device, now);
}

/** Saves the newest sample of each device: at once, or in a second unless a later one has been saved by then. */
async function saveAll(organisation: Organisation, reports: readonly DeviceReport[], now: Date): Promise<void> {
  const outcomes = await Promise.allSettled(reports.map((each) => save(organisation, each, now)));
  const early = outcomes.flatMap((each) => (each.status === 'fulfilled' && each.value ? [each.value] : []));
  await scheduleTrailingSave(organisation, early, now);
  const failure = outcomes.find((each) => each.status === 'rejected');
  if (failure) throw failure.reason;
}

async function deliverReport({ device, accepted }: DeviceReport, followersOf: FollowersOf, now: Date): Promise<void> {
  if (accepted.length === 0) return;
  const messages = accepted.map(({ deviceId: _deviceId, ...state }) => sampleMessage(device, state, now));
  await deliverTelemetry(device, messages, followersOf);
}

/** Faults that need more than the schema. */
function faults(samples: readonly Sample[], devices: ReadonlyMap<string, Device>, now: Date): Detail[] {
  return samples.flatMap(({ deviceId, ...state }, index) => [
    ...(devices.has(deviceId) ? [] : [{ path: `telemetry.${index}.deviceId`, message: 'is not a device of yours' }]),
    ...(isReadableAsJson(state) ? [] : [{ path: `telemetry.${index}`, message: 'cannot be saved' }]),
    ...(Date.parse(state.timestamp) - now.getTime() > MAX_AHEAD_MS
      ? [{ path: `telemetry.${index}.timestamp`, message: 'is more than 60 seconds in the future' }]
      : []),
  ]);
}

/**
 * Accepts telemetry of an organisation's devices: delivers it to their followers at once, and saves the newest sample of each
 * as its last known state: transitions at once, other samples about once a second. A sample that is not later than the last one is
 * not delivered, but shows that the device is online.
 * @param now when it was received
 * @param reportedAt when it was reported, which is long ago for replayed events
 * @returns how many samples were new
 * @throws Refusal `invalid_request` that names each fault; nothing is accepted then
 */
export async function acceptTelemetry(
  organisation: Organisation,
  samples: readonly Sample[],
  now: Date,
  reportedAt: Date = now,
): Promise<number> {
  const ids = [...new Set(samples.map(({ deviceId }) => deviceId))];
  const devices = new Map((await readDevices(organisation, ids)).map((device) => [device.deviceId, device]));
  const details = faults(samples, devices, now);
  if (details.length > 0) throw new Refusal('invalid_request', details);
  const reports = [...devices.values()].map((device) => {
    const own = samples.filter(({ deviceId }) => deviceId === device.deviceId);
    return { device, accepted: newSamples(device, own) };
  });
  for (const { device, accepted } of reports) remember(device.deviceId, accepted.at(-1));
  const followersOf = findFollowers();
  try {
    const isLive = now.getTime() - reportedAt.getTime() < OFFLINE_AFTER_MS;
    await allSettled([
      ...reports.map((each) => deliverReport(each, followersOf, now)),
      ...(isLive ? reports.map((each) => noteOldReport(organisation, each, now)) : []),
      saveAll(organisation, reports, now),
    ]);
  } catch (error) {
    // The publisher gets an error and publishes the samples again: they must count as new then.
    for (const { device } of reports) latest.delete(device.deviceId);
    throw error;
  }
  return reports.reduce((sum, { accepted }) => sum + accepted.length, 0);
}
