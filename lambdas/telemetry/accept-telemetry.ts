import { scheduleOfflineCheck, scheduleTrailingSave } from '../../data/fleet/device-checks';
import { readDevices, recordReport, saveNextState, saveState } from '../../data/fleet/device-state';
import type { Device } from '../../domain/fleet';
import { takeOffAfter, type TakeOff } from '../../domain/flight';
import { isDevicePointDue } from '../../domain/flight-record';
import { isFollowed } from '../../domain/followed-until';
import { organisationOf, type Organisation } from '../../domain/id';
import { Refusal, type Detail } from '../../domain/refusal';
import { isNextState, isReportDue, turnAfter, writeReasonOf } from '../../domain/state-saving';
import { MAX_AHEAD_MS, isReadableAsJson, OFFLINE_AFTER_MS, sequenceOf, type Sample } from '../../domain/telemetry';
import { allSettled, fulfilled } from '../concurrency';
import { followedGroup } from '../delivery/followed-group';
import { deliverTelemetry, findFollowers, type FollowersOf } from './deliver-telemetry';
import {
  forgetDevice,
  isShared,
  knownDevice,
  latestSequence,
  noteRead,
  noteTooEarly,
  rememberDevice,
} from './device-memory';
import { sampleMessage } from './telemetry-message';

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
  const samplesOf = (id: string) => samples.filter(({ deviceId }) => deviceId === id);
  const known = ids.flatMap((id) => knownOf(organisation, id, samplesOf(id), now));
  const others = ids.filter((id) => !known.some(({ deviceId }) => deviceId === id));
  const read = others.length > 0 ? await readDevices(organisation, others) : [];
  const details = faults(samples, [...known, ...read], now);
  if (details.length > 0) throw new Refusal('invalid_request', details);
  try {
    const accept = (device: Device) => ({ device, accepted: newSamples(device, samplesOf(device.deviceId)) });
    const due = read.filter((device) => needNextState(device, samplesOf(device.deviceId), now));
    // A device that is shared among instances was read in place of a write that would probably be refused.
    const shared = due.filter(({ deviceId }) => isShared(deviceId));
    for (const device of read) noteRead(device.deviceId, due.includes(device));
    const saving = [...known, ...shared]
      .map(accept)
      .map(({ device, accepted }) => saveNext(organisation, device, accepted, now));
    const unsaved = read.filter((device) => !shared.includes(device)).map(accept);
    for (const each of unsaved) remember(each, now);
    const saved = (await fulfilled(saving)).filter((each) => each !== undefined);
    const reports = [...saved, ...unsaved.map((each) => ({ ...each, isSaved: false }))];
    const toSave = reports.filter(({ isSaved }) => !isSaved);
    const isLive = now.getTime() - reportedAt.getTime() < OFFLINE_AFTER_MS;
    const followersOf = findFollowers(now);
    await allSettled([
      ...saving,
      ...reports.map((each) => deliverReport(each, followersOf, now)),
      ...(isLive ? toSave.map((each) => noteOldReport(organisation, each, now)) : []),
      saveAll(organisation, toSave, now),
    ]);
    return reports.reduce((sum, { accepted }) => sum + accepted.length, 0);
  } catch (error) {
    // The publisher gets an error and publishes the samples again: they must count as new then.
    for (const id of ids) forgetDevice(id);
    throw error;
  }
}

/** The samples of one device in a message that are later than any known sample of it, in order. */
interface DeviceReport {
  readonly device: Device;
  readonly accepted: readonly Sample[];
  /** Whether the newest one is saved. */
  readonly isSaved: boolean;
}

/** The device, if this instance knows it so well that the next state needs no read. */
function knownOf(organisation: Organisation, deviceId: string, samples: readonly Sample[], now: Date): Device[] {
  if (organisationOf('device', deviceId) !== organisation || isShared(deviceId)) return [];
  const device = knownDevice(deviceId, now);
  return device && needNextState(device, samples, now) ? [device] : [];
}

/** Whether these samples of a device need nothing but a write of its next state. */
function needNextState(device: Device, samples: readonly Sample[], now: Date): boolean {
  const accepted = newSamples(device, samples);
  return accepted.length > 0 && isNextState(device, accepted, now);
}

/** The samples that are later than any known sample of the device, in order, without duplicate timestamps. */
function newSamples(device: Device, samples: readonly Sample[]): Sample[] {
  let last = latestSequence(device);
  const inOrder = samples.toSorted((a, b) => sequenceOf(a) - sequenceOf(b));
  return inOrder.filter((sample) => {
    const isLater = sequenceOf(sample) > last;
    if (isLater) last = sequenceOf(sample);
    return isLater;
  });
}

/** Faults that need more than the schema. */
function faults(samples: readonly Sample[], found: readonly Device[], now: Date): Detail[] {
  const deviceIds = new Set(found.map(({ deviceId }) => deviceId));
  return samples.flatMap(({ deviceId, ...state }, index) => [
    ...(deviceIds.has(deviceId) ? [] : [{ path: `telemetry.${index}.deviceId`, message: 'is not a device of yours' }]),
    ...(isReadableAsJson(state) ? [] : [{ path: `telemetry.${index}`, message: 'cannot be saved' }]),
    ...(Date.parse(state.timestamp) - now.getTime() > MAX_AHEAD_MS
      ? [{ path: `telemetry.${index}.timestamp`, message: 'is more than 60 seconds in the future' }]
      : []),
  ]);
}

/**
 * Saves the newest of some new samples of a device, by one write. The record of the write in the stream has no reader when nobody
 * follows the group, no job is flown and no position of the flight is due.
 * @param known the device as this instance knows it or has just read it, whose next state is due
 * @returns the report, with the device as it was before the write; not saved when the device is another one than this instance
 *   knew; undefined when it was removed
 */
async function saveNext(
  organisation: Organisation,
  known: Device,
  samples: readonly Sample[],
  now: Date,
): Promise<DeviceReport | undefined> {
  const newest = samples.at(-1) as Sample;
  const { deviceId, ...lastState } = newest;
  const { socketsUntil, topicUntil } = await followedGroup(known.deviceGroupId);
  const hasFollower = isFollowed(socketsUntil, now) || isFollowed(topicUntil, now);
  const isQuiet = !hasFollower && lastState.jobId === undefined && !isDevicePointDue(known, { ...known, lastState });
  const { device, isSaved } = await saveNextState(organisation, known, lastState, { now, isQuiet });
  if (!device) {
    forgetDevice(deviceId);
    return undefined;
  }
  const report = { device, accepted: newSamples(device, samples), isSaved };
  remember(report, now);
  if (isSaved) rememberSaved(device, newest, device.takeOff, now);
  else if (writeReasonOf(device, report.accepted, now) !== 'due') noteTooEarly(deviceId);
  return report;
}

/** Remembers what a device reported, so that the same samples are not new again. */
function remember({ device, accepted }: Pick<DeviceReport, 'device' | 'accepted'>, now: Date): void {
  const newest = accepted.at(-1);
  rememberDevice(device, now, newest && sequenceOf(newest));
}

/** Remembers a device with the sample that was saved as its state. */
function rememberSaved(
  device: Device,
  { deviceId: _deviceId, ...lastState }: Sample,
  takeOff: TakeOff | undefined,
  now: Date,
): void {
  const { takeOff: _before, ...rest } = device;
  const saved = {
    status: 'online' as const,
    lastState,
    reportedAt: now.toISOString(),
    savedAt: turnAfter(device, now),
  };
  rememberDevice({ ...rest, ...saved, ...(takeOff && { takeOff }) }, now);
}

async function deliverReport({ device, accepted }: DeviceReport, followersOf: FollowersOf, now: Date): Promise<void> {
  if (accepted.length === 0) return;
  const messages = accepted.map(({ deviceId: _deviceId, ...state }) => sampleMessage(device, state, now));
  await deliverTelemetry(device, messages, followersOf);
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
  const saving = reports.map((each) => save(organisation, each, now));
  const early = (await fulfilled(saving)).filter((each) => each !== undefined);
  await scheduleTrailingSave(organisation, early, now);
  await allSettled(saving);
}

/** Saves the newest sample of a device. @returns the sample when it is too early to save it */
async function save(
  organisation: Organisation,
  { device, accepted }: DeviceReport,
  now: Date,
): Promise<Sample | undefined> {
  const newest = accepted.at(-1);
  if (!newest) return undefined;
  const reason = writeReasonOf(device, accepted, now);
  if (!reason) return newest;
  const { deviceId, ...state } = newest;
  // Before it is marked online, since the function may end at any time: an online device without a check would stay online.
  if (device.status !== 'online') await scheduleOfflineCheck({ organisation, deviceId }, OFFLINE_AFTER_MS);
  const takeOff = takeOffAfter(device, accepted);
  const change = { before: device.takeOff, after: takeOff };
  const savedAt = turnAfter(device, now);
  const saved = await saveState(organisation, deviceId, state, { now, reason, savedAt, change });
  if (saved.outcome === 'saved') rememberSaved(device, newest, takeOff, now);
  // The device was marked offline after it was read, which ended its offline check.
  if (saved.outcome === 'saved' && device.status === 'online' && !saved.wasOnline)
    await scheduleOfflineCheck({ organisation, deviceId }, OFFLINE_AFTER_MS);
  return saved.outcome === 'too early' ? newest : undefined;
}
