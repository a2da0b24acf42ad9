import { setTimeout as pause } from 'node:timers/promises';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import {
  isTrailing,
  readOfflineCheck,
  readTrailing,
  scheduleOfflineCheck,
  type OfflineCheck,
  type TrailingStates,
} from '../../data/fleet/device-checks';
import { markOffline, readDevices, saveTrailing } from '../../data/fleet/save-device-state';
import { readDevice } from '../../data/fleet/devices';
import type { Device } from '../../domain/fleet/device';
import type { Organisation } from '../../domain/values/id';
import { isUnsaved, waitForTurn } from '../../domain/fleet/state-saving';
import { offlineAfter } from '../../domain/fleet/offline';
import { sampleSequence, type Sample } from '../../domain/telemetry/sample';
import { allSettled } from '../runtime/concurrency';
import { eachMessage, type Task } from '../runtime/each-message';
import { logger } from '../runtime/logger';
import { namedIn } from '../runtime/subject';

/**
 * Queue of delayed device checks: marks an online device offline after 30 seconds of silence (`offlineAfter`), or
 * schedules its next check; saves samples that were too early as the last known state, unless a later one has been
 * saved.
 */
export function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const saveTrailingOf = trailingStates();
  const read = (body: string): Task => {
    const message = JSON.parse(body) as unknown;
    if (!isTrailing(message)) {
      const check = readOfflineCheck(message);
      return { subject: namedIn(check), run: () => checkOffline(check) };
    }
    const late = readTrailing(message);
    // The first of them finds the others: they came in one message.
    return { subject: namedIn(late.trailing[0]), run: () => saveTrailingOf(late) };
  };
  return eachMessage(Records, read, (error) => logger.error('device check failed', { error }));
}

/** Delay of the next check of a device that reported while it was being marked offline, in ms. */
const RETRY_AFTER_MS = 5000;

async function checkOffline(check: OfflineCheck): Promise<void> {
  const device = await readDevice(check.organisation, check.deviceId);
  if (device?.status !== 'online' || device.reportedAt === undefined) return;
  const left = Date.parse(device.reportedAt) + offlineAfter(device) - Date.now();
  if (left > 0) await scheduleOfflineCheck(check, left);
  else if (!(await markOffline(check.organisation, check.deviceId, device.reportedAt)))
    // A device has one check at a time: without another one it would stay online for good.
    await scheduleOfflineCheck(check, RETRY_AFTER_MS);
}

/** Saves the trailing states of a batch, one call per organisation, so that one organisation's failure affects no other. */
function trailingStates() {
  const batch = new Map<Organisation, { messages: TrailingStates[]; saved: Promise<void> }>();
  return (message: TrailingStates): Promise<void> => {
    const known = batch.get(message.organisation);
    known?.messages.push(message);
    if (known) return known.saved;
    const messages = [message];
    // Deferred until all records of the batch have been added.
    const saved = Promise.resolve().then(() => saveTrailingStates(message.organisation, messages));
    batch.set(message.organisation, { messages, saved });
    return saved;
  };
}

/**
 * Saves the newest of each device's samples that were too early to be saved when received, unless a later one has been saved:
 * so the last sample of a device that stops reporting is kept. While a device goes on reporting, this writes nothing and
 * costs one read for up to 100 devices.
 * @throws the first error, after all have been tried
 */
async function saveTrailingStates(organisation: Organisation, messages: readonly TrailingStates[]): Promise<void> {
  const newest = newestOf(messages);
  const ids = newest.map(({ sample }) => sample.deviceId);
  const devices = await currentDevices(organisation, ids);
  await allSettled(newest.map((each) => saveOne(organisation, each, devices.get(each.sample.deviceId))));
}

/** A sample that waits to be saved. */
interface TrailingSample {
  readonly sample: Sample;
  /** When it was received, ISO 8601. */
  readonly at: string;
}

/** The newest sample of each device. */
function newestOf(messages: readonly TrailingStates[]): TrailingSample[] {
  const newest = new Map<string, TrailingSample>();
  for (const { at, trailing } of messages)
    for (const sample of trailing) {
      const known = newest.get(sample.deviceId);
      if (!known || sampleSequence(sample) > sampleSequence(known.sample)) newest.set(sample.deviceId, { sample, at });
    }
  return [...newest.values()];
}

/** Keys of one read (DynamoDB API reference, BatchGetItem). */
const KEYS_IN_READ = 100;

/** The current state of devices of one organisation, by device id. */
async function currentDevices(organisation: Organisation, ids: readonly string[]): Promise<Map<string, Device>> {
  const found: Device[] = [];
  for (let from = 0; from < ids.length; from += KEYS_IN_READ)
    found.push(...(await readDevices(organisation, ids.slice(from, from + KEYS_IN_READ))));
  return new Map(found.map((device) => [device.deviceId, device]));
}

/** Attempts to save a state when other writes come first. */
const MAX_ATTEMPTS = 4;

async function saveOne(
  organisation: Organisation,
  { sample, at }: TrailingSample,
  found: Device | undefined,
): Promise<void> {
  const { deviceId, ...state } = sample;
  let device = found;
  for (let attempt = 1; isUnsaved(device, sample); attempt += 1) {
    if (attempt > MAX_ATTEMPTS) throw new Error('a state could not be saved: other writes came first each time');
    await pause(waitForTurn(device, at, new Date()));
    if (await saveTrailing(organisation, device, state, at, new Date())) return;
    device = (await currentDevices(organisation, [deviceId])).get(deviceId);
  }
}
