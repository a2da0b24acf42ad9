import { isReportDue, recordReport } from '../../data/fleet/device-reports';
import { saveState, turnAfter, writeReasonOf } from '../../data/fleet/device-state';
import { saveNextState } from '../../data/fleet/next-state';
import { scheduleOfflineCheck } from '../../data/fleet/offline-check';
import { scheduleTrailingSave } from '../../data/fleet/trailing-states';
import { isFollowed } from '../../domain/followed-until';
import type { Device } from '../../domain/fleet';
import { takeOffAfter, type TakeOff } from '../../domain/flight';
import { isDevicePointDue } from '../../domain/flight-record';
import type { Organisation } from '../../domain/id';
import { OFFLINE_AFTER_MS, sequenceOf, type Sample } from '../../domain/telemetry';
import { followedGroup } from '../delivery/followed-group';
import { forgetDevice, latestSequence, rememberDevice } from './known-devices';
import { noteTooEarly } from './shared-devices';

/** The samples of one device in a message that are later than any known sample of it, in order. */
export interface DeviceReport {
  readonly device: Device;
  readonly accepted: readonly Sample[];
  /** Whether the newest one is saved. */
  readonly isSaved: boolean;
}

/** The samples that are later than any known sample of the device, in order, without duplicate timestamps. */
export function newSamples(device: Device, samples: readonly Sample[]): Sample[] {
  let last = latestSequence(device);
  const inOrder = samples.toSorted((a, b) => sequenceOf(a) - sequenceOf(b));
  return inOrder.filter((sample) => {
    const isLater = sequenceOf(sample) > last;
    if (isLater) last = sequenceOf(sample);
    return isLater;
  });
}

/** Remembers what a device reported, so that the same samples are not new again. */
export function remember({ device, accepted }: Pick<DeviceReport, 'device' | 'accepted'>, now: Date): void {
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

/**
 * Saves the newest of some new samples of a device, by one write. The record of the write in the stream has no reader when nobody
 * follows the group, no job is flown and no position of the flight is due.
 * @param known the device as this instance knows it or has just read it, whose next state is due
 * @returns the report, with the device as it was before the write; not saved when the device is another one than this instance
 *   knew; undefined when it was removed
 */
export async function saveNext(
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

/** A device that sends only old samples is online all the same: its clock was ahead, or they arrived out of order. */
export async function noteOldReport(
  organisation: Organisation,
  { device, accepted }: DeviceReport,
  now: Date,
): Promise<void> {
  if (accepted.length > 0 || !isReportDue(device, now)) return;
  const { deviceId, status } = device;
  if (status !== 'online') await scheduleOfflineCheck({ organisation, deviceId }, OFFLINE_AFTER_MS);
  await recordReport(organisation, device, now);
}

/** Saves the newest sample of each device: at once, or in a second unless a later one has been saved by then. */
export async function saveAll(organisation: Organisation, reports: readonly DeviceReport[], now: Date): Promise<void> {
  const outcomes = await Promise.allSettled(reports.map((each) => save(organisation, each, now)));
  const early = outcomes.flatMap((each) => (each.status === 'fulfilled' && each.value ? [each.value] : []));
  await scheduleTrailingSave(organisation, early, now);
  const failure = outcomes.find((each) => each.status === 'rejected');
  if (failure) throw failure.reason;
}
