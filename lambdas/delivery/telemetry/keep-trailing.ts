import { setTimeout as pause } from 'node:timers/promises';
import { KEPT_EVERY_MS, keepTrailing, readDevices } from '../../../data/fleet/device-state';
import type { TrailingStates } from '../../../data/fleet/trailing-states';
import type { Device } from '../../../domain/fleet';
import type { Organisation } from '../../../domain/id';
import { sequenceOf, type Sample } from '../../../domain/telemetry';
import { allSettled } from '../all-settled';

/** How often a state is tried that something else is written before. */
const TRIES = 4;
/** Keys of one read (DynamoDB API reference, BatchGetItem). */
const KEYS_IN_READ = 100;

/** A sample that waits to be kept. */
interface Waiting {
  readonly sample: Sample;
  /** When it came in, ISO 8601. */
  readonly at: string;
}

/** Of all that wait the newest of each device. */
function newestOf(messages: readonly TrailingStates[]): Waiting[] {
  const newest = new Map<string, Waiting>();
  for (const { at, trailing } of messages)
    for (const sample of trailing) {
      const known = newest.get(sample.deviceId);
      if (!known || sequenceOf(sample) > sequenceOf(known.sample)) newest.set(sample.deviceId, { sample, at });
    }
  return [...newest.values()];
}

/** What is known of the devices of one organisation, by their id, as of now. */
async function known(organisation: Organisation, ids: readonly string[]): Promise<Map<string, Device>> {
  const found: Device[] = [];
  for (let from = 0; from < ids.length; from += KEYS_IN_READ)
    found.push(...(await readDevices(organisation, ids.slice(from, from + KEYS_IN_READ))));
  return new Map(found.map((device) => [device.deviceId, device]));
}

/** Whether a sample is later than what is kept; a device that is gone, or came again, needs none of before. */
const isNeeded = (device: Device | undefined, sample: Sample): device is Device =>
  device?.lastState !== undefined && sequenceOf(sample) > sequenceOf(device.lastState);

/**
 * How long until a device's state is due, in ms. Of several functions that wait for the same device at the same time, each
 * with a sample of its own, the one with the newest is the first, so that the others find theirs superseded.
 */
function untilDue({ keptAt }: Device, at: string): number {
  const due = Date.parse(keptAt ?? at) + KEPT_EVERY_MS;
  const turn = Math.min(Math.max(due - Date.parse(at), 0), 3 * KEPT_EVERY_MS) / 10;
  return Math.max(due + turn - Date.now(), 0);
}

async function keepOne(organisation: Organisation, { sample, at }: Waiting, found: Device | undefined): Promise<void> {
  const { deviceId, ...state } = sample;
  let device = found;
  for (let tries = 1; isNeeded(device, sample); tries += 1) {
    if (tries > TRIES) throw new Error('a state could not be kept: others were written before it again and again');
    await pause(untilDue(device, at));
    if (await keepTrailing(organisation, device, state, at, new Date())) return;
    device = (await known(organisation, [deviceId])).get(deviceId);
  }
}

/**
 * Keeps, of an organisation's samples that came too early for the state of their device, the newest of each device, unless
 * a later one is kept: so the last one stays when no other follows. While a device goes on reporting nothing is written
 * here, but one read made for up to 100 devices.
 * @throws the first error, once all have been tried
 */
export async function keepTrailingStates(
  organisation: Organisation,
  messages: readonly TrailingStates[],
): Promise<void> {
  const waiting = newestOf(messages);
  const ids = waiting.map(({ sample }) => sample.deviceId);
  const devices = await known(organisation, ids);
  await allSettled(waiting.map((each) => keepOne(organisation, each, devices.get(each.sample.deviceId))));
}
