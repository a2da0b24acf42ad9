import { isDue, keepState, readDevices } from '../../data/device-state';
import { watchAgain } from '../../data/silence-watch';
import type { Device } from '../../domain/fleet';
import type { Organisation } from '../../domain/id';
import { Refusal, type Detail } from '../../domain/refusal';
import { MAX_AHEAD, SILENCE, sequenceOf, type Sample } from '../../domain/telemetry';
import { allDone } from '../all-done';
import { deliver, findFollowers, type FollowersOf } from './deliver';
import { sampleMessage } from './sample-message';

/** The latest sample that this function has seen of each device: between two writes only memory knows it. */
const latest = new Map<string, number>();
const MOST = 10_000;

function remember(deviceId: string, sequence: number): void {
  if (latest.size >= MOST) latest.clear();
  latest.set(deviceId, sequence);
}

/** What is later than anything known of the device, in order and each moment once. */
function news(device: Device, samples: readonly Sample[]): Sample[] {
  let last = Math.max(latest.get(device.deviceId) ?? 0, device.lastState ? sequenceOf(device.lastState) : 0);
  const inOrder = samples.toSorted((a, b) => sequenceOf(a) - sequenceOf(b));
  return inOrder.filter((sample) => {
    const isLater = sequenceOf(sample) > last;
    if (isLater) last = sequenceOf(sample);
    return isLater;
  });
}

async function keep(organisation: Organisation, device: Device, sample: Sample, now: Date): Promise<void> {
  if (!isDue(device, now)) return;
  const { deviceId, ...state } = sample;
  // Before it is online: a device that is, and that nobody watches, would never go offline.
  if (device.status !== 'online') await watchAgain({ organisation, deviceId }, SILENCE);
  await keepState(organisation, deviceId, state, now);
}

/** To everyone who follows the device, and into its last known state. */
async function passOn(
  organisation: Organisation,
  device: Device,
  accepted: readonly Sample[],
  followersOf: FollowersOf,
  now: Date,
) {
  const newest = accepted.at(-1);
  if (!newest) return;
  remember(device.deviceId, sequenceOf(newest));
  const messages = accepted.map(({ deviceId: _deviceId, ...state }) => sampleMessage(device, state, now));
  await allDone([deliver(device, messages, followersOf), keep(organisation, device, newest, now)]);
}

/** Faults that no schema sees. */
function faults(samples: readonly Sample[], devices: ReadonlyMap<string, Device>, now: Date): Detail[] {
  return samples.flatMap(({ deviceId, timestamp }, index) => [
    ...(devices.has(deviceId) ? [] : [{ path: `telemetry.${index}.deviceId`, message: 'is not a device of yours' }]),
    ...(Date.parse(timestamp) - now.getTime() > MAX_AHEAD
      ? [{ path: `telemetry.${index}.timestamp`, message: 'is more than 60 seconds in the future' }]
      : []),
  ]);
}

/**
 * Takes telemetry of an organisation's devices: to everyone who follows them at once, and into their last
 * known state at most once a second. A sample that is not later than the last one is delivered to nobody.
 * @param now moment at which it came in
 * @returns how many samples were news
 * @throws Refusal `invalid_request` that names each fault; nothing is taken then
 */
export async function acceptTelemetry(
  organisation: Organisation,
  samples: readonly Sample[],
  now: Date,
): Promise<number> {
  const ids = [...new Set(samples.map(({ deviceId }) => deviceId))];
  const devices = new Map((await readDevices(organisation, ids)).map((device) => [device.deviceId, device]));
  const details = faults(samples, devices, now);
  if (details.length > 0) throw new Refusal('invalid_request', details);
  const taken = [...devices.values()].map((device) => {
    const own = samples.filter(({ deviceId }) => deviceId === device.deviceId);
    return { device, accepted: news(device, own) };
  });
  const followersOf = findFollowers();
  await allDone(taken.map(({ device, accepted }) => passOn(organisation, device, accepted, followersOf, now)));
  return taken.reduce((sum, { accepted }) => sum + accepted.length, 0);
}
