import { scheduleOfflineCheck, scheduleTrailingSave, type TrailingState } from '../../data/fleet/device-checks';
import { recordReport } from '../../data/fleet/save-device-state';
import { isRecordKept, recordPosition } from '../../data/telemetry/flights';
import type { Device } from '../../domain/fleet/device';
import type { Organisation } from '../../domain/values/id';
import type { Detail } from '../../domain/values/refusal';
import { faultIn, NOT_YOURS, type KnownDevice, type RecordEntry } from '../../domain/fleet/sample-decision';
import { sampleSequence, withoutNullIsland, type Sample } from '../../domain/telemetry/sample';
import { OFFLINE_AFTER_MS } from '../../domain/fleet/offline';
import { allSettled, fulfilled } from '../runtime/concurrency';
import { saveNewest, type ReceivedWith } from './save-newest';
import { beginDelivery, type Delivery } from './deliver-telemetry';
import { flownJobs, forgetDevice, knownDevices, noteClock, rememberDevice, rememberRecorded } from './device-memory';

/** What became of some samples. */
export interface Acceptance {
  /** How many said something that was not known, or were new in the record of a flight. */
  readonly accepted: number;
  /** How many were new in the record of a flight. */
  readonly recorded: number;
  readonly refused: readonly RefusedSample[];
  readonly warnings: readonly ClockWarning[];
}

/** By how many seconds the clock of a device is behind this service's, negative when it is ahead. */
export interface ClockWarning {
  readonly deviceId: string;
  readonly seconds: number;
}

/** A sample that is not accepted: its place in the list, and what is wrong with it; the path is that in the sample. */
export interface RefusedSample extends Detail {
  readonly index: number;
  /** Whether its device is not one of the organisation's, or not yet. */
  readonly isUnknown: boolean;
}

/** What the samples of one message have in common. */
interface Message extends ReceivedWith {
  readonly delivery: Delivery;
  /** Whether it was reported just now: a replayed event keeps no device online. */
  readonly isLive: boolean;
}

/**
 * Accepts telemetry of an organisation's devices, each sample by itself. For each device `decide` says what becomes of
 * its samples: they are merged into what is known of it, which is saved; they are sent to its followers, and their
 * positions are recorded.
 * @param now when it was received
 * @param reportedAt when it was reported, which is long ago for replayed events
 * @throws the first error of a read or a write, after everything has been tried; the samples count as new when they are
 * sent again
 */
export async function acceptTelemetry(
  organisation: Organisation,
  reported: readonly Sample[],
  now: Date,
  reportedAt: Date = now,
): Promise<Acceptance> {
  const begun = Date.now();
  const samples = reported.map(withoutNullIsland);
  const ids = [...new Set(samples.map(({ deviceId }) => deviceId))];
  const known = await knownDevices(organisation, ids, now);
  const jobs = await flownJobs(organisation, samples, known, now);
  const isLive = now.getTime() - reportedAt.getTime() < OFFLINE_AFTER_MS;
  const message = { organisation, jobs, delivery: beginDelivery(organisation, now, begun), now, isLive };
  const faults = samples.map((sample) => faultIn(sample, known.get(sample.deviceId)?.device, jobs, now));
  const valid = samples.filter((_, index) => !faults[index]);
  try {
    const settling = [...known.values()].map((each) => {
      const own = valid.filter(({ deviceId }) => deviceId === each.device.deviceId);
      return own.length > 0 ? settle(message, each, own) : NOTHING;
    });
    const settled = await fulfilled(settling);
    const waiting = settled.flatMap((each) => each.waiting);
    const ending = [message.delivery.end(), scheduleTrailingSave(organisation, waiting, now)];
    await allSettled([...settling, ...settled.flatMap(({ acting }) => acting), ...ending]);
    const recorded = new Set((await Promise.all(settled.flatMap(({ recording }) => recording))).flat());
    await message.delivery.confirm();
    const removed = new Set(settled.flatMap((each) => each.removed));
    const refused = samples.flatMap(({ deviceId }, index) => {
      const fault = faults[index] ?? (removed.has(deviceId) ? NOT_YOURS : undefined);
      return fault ? [{ index, ...fault, isUnknown: fault === NOT_YOURS }] : [];
    });
    const accepted = new Set([...recorded, ...settled.flatMap(({ news }) => news)]);
    return {
      accepted: accepted.size,
      recorded: recorded.size,
      refused,
      warnings: isLive ? clockWarnings(valid, now) : [],
    };
  } catch (error) {
    for (const id of ids) forgetDevice(id);
    throw error;
  }
}

/** Of each device whose clock differs. @param samples of one message */
function clockWarnings(samples: readonly Sample[], now: Date): ClockWarning[] {
  const inOrder = samples.toSorted((one, other) => sampleSequence(one) - sampleSequence(other));
  const newest = new Map(inOrder.map((sample) => [sample.deviceId, sample]));
  return [...newest].flatMap(([deviceId, sample]) => {
    const seconds = noteClock(sample, now);
    return seconds === undefined ? [] : [{ deviceId, seconds }];
  });
}

/** What was decided of a device's samples, and what is under way for them. */
interface Settled {
  readonly news: readonly Sample[];
  /** What they say that is new, if it is to be saved later. */
  readonly waiting: readonly TrailingState[];
  /** The device, if it was removed meanwhile. */
  readonly removed: readonly string[];
  readonly acting: readonly Promise<unknown>[];
  /** The samples that are new in the record. */
  readonly recording: readonly Promise<readonly Sample[]>[];
}

const NOTHING: Promise<Settled> = Promise.resolve({ news: [], waiting: [], removed: [], acting: [], recording: [] });

/** Decides what becomes of a device's samples, saves its state, and begins to deliver and to record. */
async function settle(message: Message, known: KnownDevice, samples: readonly Sample[]): Promise<Settled> {
  const { device, decision } = await saveNewest(message, known, samples);
  if (!device) return { ...(await NOTHING), removed: [known.device.deviceId] };
  const { news, messages, entries, saving, taken } = decision;
  const kept = entries.filter((entry) => isRecordKept(entry, message.now));
  const recording = kept.map((entry) => record(entry));
  const acting = [
    ...(messages.length > 0 ? [message.delivery.send(device, messages)] : []),
    ...recording,
    ...(saving.kind === 'report' && message.isLive ? [noteReport(message, device)] : []),
  ];
  // Whoever waits for them learns of an error, but only after the other devices are settled.
  for (const each of acting) each.catch(() => undefined);
  const waiting = saving.kind === 'wait' && taken ? [{ deviceId: device.deviceId, ...taken }] : [];
  return { news, waiting, removed: [], acting, recording };
}

/** Records a position. @returns the sample with it, if it is new in the record */
async function record(entry: RecordEntry): Promise<readonly Sample[]> {
  const { point, sample } = entry;
  if (!(await recordPosition(entry))) return [];
  rememberRecorded(point.deviceId, point.timestamp);
  return sample ? [sample] : [];
}

/** A device that sends only old samples is online all the same: its clock was ahead, or they arrived out of order. */
async function noteReport({ organisation, now }: Message, device: Device): Promise<void> {
  const { deviceId, status } = device;
  if (status !== 'online') await scheduleOfflineCheck({ organisation, deviceId }, OFFLINE_AFTER_MS);
  const isRecorded = await recordReport(organisation, device, now);
  if (isRecorded) rememberDevice({ ...device, status: 'online', reportedAt: now.toISOString() }, now);
  else forgetDevice(deviceId);
}
