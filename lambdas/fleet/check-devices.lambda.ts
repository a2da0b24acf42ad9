import { setTimeout as pause } from 'node:timers/promises';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import {
  isTrailing,
  readOfflineCheck,
  readTrailing,
  scheduleOfflineCheck,
  scheduleTrailingSave,
  type OfflineCheck,
  type TrailingStates,
} from '../../data/fleet/device-checks';
import { markOffline, readDevices, saveTrailing } from '../../data/fleet/save-device-state';
import { readDevice } from '../../data/fleet/devices';
import { readNamedJobs } from '../../data/jobs/named-jobs';
import { lateState } from '../../domain/fleet/sample-decision';
import type { Device } from '../../domain/fleet/device';
import type { Organisation } from '../../domain/values/id';
import { isUnsaved, waitForTurn } from '../../domain/fleet/state-saving';
import { offlineAfter } from '../../domain/fleet/offline';
import { mergeState, type KnownState } from '../../domain/telemetry/known-state';
import { allSettled } from '../runtime/concurrency';
import { eachMessage, type Task } from '../runtime/each-message';
import { logger } from '../runtime/logger';
import { namedIn } from '../runtime/subject';

/**
 * Queue of delayed device checks: marks an online device offline after 30 seconds of silence (`offlineAfter`), or
 * schedules its next check; merges what was too early into the last known state, unless all of it has been saved.
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
 * Saves what was too early to be saved when it was received, unless it has been saved since: so what a device sends before
 * it stops reporting is kept. While a device goes on reporting, this writes nothing and costs one read for up to 100
 * devices.
 * @throws the first error, after all have been tried
 */
async function saveTrailingStates(organisation: Organisation, messages: readonly TrailingStates[]): Promise<void> {
  const waiting = waitingOf(messages);
  const devices = await currentDevices(
    organisation,
    waiting.map(({ deviceId }) => deviceId),
  );
  await allSettled(waiting.map((each) => saveOne(organisation, each, devices.get(each.deviceId))));
}

/** What waits to be saved of a device. */
interface WaitingState {
  readonly deviceId: string;
  readonly state: KnownState;
  /** When the last of it was received, ISO 8601. */
  readonly at: string;
}

/** What waits of each device, merged. */
function waitingOf(messages: readonly TrailingStates[]): WaitingState[] {
  const waiting = new Map<string, WaitingState>();
  for (const { at, trailing } of messages)
    for (const { deviceId, ...state } of trailing) {
      const before = waiting.get(deviceId);
      const latest = before && before.at > at ? before.at : at;
      waiting.set(deviceId, { deviceId, state: mergeState(before?.state, state).state, at: latest });
    }
  return [...waiting.values()];
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

/** For how long what waits is put back into the queue while other writes come first, in ms. */
const PUT_BACK_FOR_MS = 60_000;
/** Attempts to save what has waited for longer, such as after a replay. */
const MAX_ATTEMPTS = 4;

async function saveOne(
  organisation: Organisation,
  { deviceId, state, at }: WaitingState,
  found: Device | undefined,
): Promise<void> {
  let device = found;
  for (let attempt = 1; isUnsaved(device, state); attempt += 1) {
    if (attempt > MAX_ATTEMPTS) throw new Error('a state could not be saved: other writes came first each time');
    const turn = waitForTurn(device, at, new Date());
    await pause(turn);
    // Whoever reports meanwhile saves the device each time just before this turn.
    if (turn > 0 || attempt > 1) device = (await currentDevices(organisation, [deviceId])).get(deviceId);
    if (!isUnsaved(device, state)) return;
    const unsaved = await withoutEndedJob(organisation, device, state);
    if (await saveTrailing(organisation, device, unsaved, at, new Date())) return;
    // Whoever waits for a turn of the device meets in the queue, and is saved by one write.
    if (Date.now() - Date.parse(at) < PUT_BACK_FOR_MS)
      return scheduleTrailingSave(organisation, [{ deviceId, ...state }], new Date(at));
  }
}

/** A state that waits, without a job that is over: what is saved may have none for that reason. */
async function withoutEndedJob(organisation: Organisation, device: Device, state: KnownState): Promise<KnownState> {
  const { jobId } = state;
  const isKnown = jobId === undefined || jobId === device.lastState?.jobId;
  return lateState(state, device, isKnown ? undefined : await readNamedJobs(organisation, [jobId]));
}
