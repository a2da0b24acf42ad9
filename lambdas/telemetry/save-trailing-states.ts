import { setTimeout as pause } from 'node:timers/promises';
import { SAVE_INTERVAL_MS, saveTrailing, readDevices } from '../../data/fleet/device-state';
import type { TrailingStates } from '../../data/fleet/trailing-states';
import type { Device } from '../../domain/fleet';
import type { Organisation } from '../../domain/id';
import { sequenceOf, type Sample } from '../../domain/telemetry';
import { allSettled } from '../delivery/all-settled';

/** Attempts to save a state when other writes come first. */
const MAX_ATTEMPTS = 4;
/** Keys of one read (DynamoDB API reference, BatchGetItem). */
const KEYS_IN_READ = 100;

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
      if (!known || sequenceOf(sample) > sequenceOf(known.sample)) newest.set(sample.deviceId, { sample, at });
    }
  return [...newest.values()];
}

/** The current state of devices of one organisation, by device id. */
async function currentDevices(organisation: Organisation, ids: readonly string[]): Promise<Map<string, Device>> {
  const found: Device[] = [];
  for (let from = 0; from < ids.length; from += KEYS_IN_READ)
    found.push(...(await readDevices(organisation, ids.slice(from, from + KEYS_IN_READ))));
  return new Map(found.map((device) => [device.deviceId, device]));
}

/** Whether a sample is later than the saved state. A device that was removed, even if it was registered again, needs none. */
const isNeeded = (device: Device | undefined, sample: Sample): device is Device =>
  device?.lastState !== undefined && sequenceOf(sample) > sequenceOf(device.lastState);

/**
 * How long until a device's state is due, in ms. When several functions wait for the same device, each with its own sample,
 * the one with the newest sample is first, so that the others find theirs superseded.
 */
function untilDue({ savedAt }: Device, at: string): number {
  const due = Date.parse(savedAt ?? at) + SAVE_INTERVAL_MS;
  const turn = Math.min(Math.max(due - Date.parse(at), 0), 3 * SAVE_INTERVAL_MS) / 10;
  return Math.max(due + turn - Date.now(), 0);
}

async function saveOne(
  organisation: Organisation,
  { sample, at }: TrailingSample,
  found: Device | undefined,
): Promise<void> {
  const { deviceId, ...state } = sample;
  let device = found;
  for (let attempt = 1; isNeeded(device, sample); attempt += 1) {
    if (attempt > MAX_ATTEMPTS) throw new Error('a state could not be saved: other writes came first each time');
    await pause(untilDue(device, at));
    if (await saveTrailing(organisation, device, state, at, new Date())) return;
    device = (await currentDevices(organisation, [deviceId])).get(deviceId);
  }
}

/**
 * Saves the newest of each device's samples that were too early to be saved when received, unless a later one has been saved:
 * so the last sample of a device that stops reporting is kept. While a device goes on reporting, this writes nothing and
 * costs one read for up to 100 devices.
 * @throws the first error, after all have been tried
 */
export async function saveTrailingStates(
  organisation: Organisation,
  messages: readonly TrailingStates[],
): Promise<void> {
  const newest = newestOf(messages);
  const ids = newest.map(({ sample }) => sample.deviceId);
  const devices = await currentDevices(organisation, ids);
  await allSettled(newest.map((each) => saveOne(organisation, each, devices.get(each.sample.deviceId))));
}
