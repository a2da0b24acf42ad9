import { isSignDue, keepState, noteSignOfLife, occasionOf, readDevices } from '../../../data/fleet/device-state';
import { watchAgain } from '../../../data/fleet/silence-watch';
import { keepInASecond } from '../../../data/fleet/trailing-states';
import type { Device } from '../../../domain/fleet';
import type { Organisation } from '../../../domain/id';
import { Refusal, type Detail } from '../../../domain/refusal';
import { MAX_AHEAD, readsBack, SILENCE, sequenceOf, type Sample } from '../../../domain/telemetry';
import { allSettled } from '../all-settled';
import { deliver, findFollowers, type FollowersOf } from './deliver';
import { sampleMessage } from './sample-message';

/** The latest sample that this function has seen of each device: between two writes only memory knows it. */
const latest = new Map<string, number>();
const MOST = 10_000;

function remember(deviceId: string, newest: Sample | undefined): void {
  if (!newest) return;
  if (latest.size >= MOST) latest.clear();
  latest.set(deviceId, sequenceOf(newest));
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

/** What of a message one device has said that was news, in order. */
interface Told {
  readonly device: Device;
  readonly accepted: readonly Sample[];
}

/** Keeps the newest sample of a device; gives it back when it came too early. */
async function keep(organisation: Organisation, { device, accepted }: Told, now: Date): Promise<Sample | undefined> {
  const newest = accepted.at(-1);
  if (!newest) return undefined;
  const occasion = occasionOf(device, accepted, now);
  if (!occasion) return newest;
  const { deviceId, ...state } = newest;
  // Before it is online, for the function may end at any time: a device that is, and that nobody watches, stays so.
  if (device.status !== 'online') await watchAgain({ organisation, deviceId }, SILENCE);
  const kept = await keepState(organisation, deviceId, state, now, occasion);
  // It was made offline since it was read, and that was the end of its watch.
  if (kept.outcome === 'kept' && device.status === 'online' && !kept.wasOnline)
    await watchAgain({ organisation, deviceId }, SILENCE);
  return kept.outcome === 'too early' ? newest : undefined;
}

/** A device all of whose samples are old is there all the same: its clock was ahead, or they came in another order. */
async function noteSign(organisation: Organisation, { device, accepted }: Told, now: Date): Promise<void> {
  if (accepted.length > 0 || !isSignDue(device, now)) return;
  const { deviceId, status } = device;
  if (status !== 'online') await watchAgain({ organisation, deviceId }, SILENCE);
  await noteSignOfLife(organisation, device, now);
}

/** Keeps the newest sample of each device: at once, or in a second if nothing later is kept by then. */
async function keepAll(organisation: Organisation, told: readonly Told[], now: Date): Promise<void> {
  const outcomes = await Promise.allSettled(told.map((each) => keep(organisation, each, now)));
  const early = outcomes.flatMap((each) => (each.status === 'fulfilled' && each.value ? [each.value] : []));
  await keepInASecond(organisation, early, now);
  const failure = outcomes.find((each) => each.status === 'rejected');
  if (failure) throw failure.reason;
}

/** To everyone who follows the device. */
async function passOn({ device, accepted }: Told, followersOf: FollowersOf, now: Date): Promise<void> {
  if (accepted.length === 0) return;
  const messages = accepted.map(({ deviceId: _deviceId, ...state }) => sampleMessage(device, state, now));
  await deliver(device, messages, followersOf);
}

/** Faults that no schema sees. */
function faults(samples: readonly Sample[], devices: ReadonlyMap<string, Device>, now: Date): Detail[] {
  return samples.flatMap(({ deviceId, ...state }, index) => [
    ...(devices.has(deviceId) ? [] : [{ path: `telemetry.${index}.deviceId`, message: 'is not a device of yours' }]),
    ...(readsBack(state) ? [] : [{ path: `telemetry.${index}`, message: 'can not be kept' }]),
    ...(Date.parse(state.timestamp) - now.getTime() > MAX_AHEAD
      ? [{ path: `telemetry.${index}.timestamp`, message: 'is more than 60 seconds in the future' }]
      : []),
  ]);
}

/**
 * Takes telemetry of an organisation's devices: to everyone who follows them at once, and into their last known state,
 * of which the newest sample is the one that stays: turns at once, other samples about once a second. A sample that is
 * not later than the last one is delivered to nobody, but shows that the device is there.
 * @param now moment at which it came in
 * @param saidAt moment at which it was said, which is long ago for what is played again
 * @returns how many samples were news
 * @throws Refusal `invalid_request` that names each fault; nothing is taken then
 */
export async function acceptTelemetry(
  organisation: Organisation,
  samples: readonly Sample[],
  now: Date,
  saidAt: Date = now,
): Promise<number> {
  const ids = [...new Set(samples.map(({ deviceId }) => deviceId))];
  const devices = new Map((await readDevices(organisation, ids)).map((device) => [device.deviceId, device]));
  const details = faults(samples, devices, now);
  if (details.length > 0) throw new Refusal('invalid_request', details);
  const told = [...devices.values()].map((device) => {
    const own = samples.filter(({ deviceId }) => deviceId === device.deviceId);
    return { device, accepted: news(device, own) };
  });
  for (const { device, accepted } of told) remember(device.deviceId, accepted.at(-1));
  const followersOf = findFollowers();
  try {
    const isLive = now.getTime() - saidAt.getTime() < SILENCE;
    await allSettled([
      ...told.map((each) => passOn(each, followersOf, now)),
      ...(isLive ? told.map((each) => noteSign(organisation, each, now)) : []),
      keepAll(organisation, told, now),
    ]);
  } catch (error) {
    // The publisher is told that it failed, and says it again: that must be news again.
    for (const { device } of told) latest.delete(device.deviceId);
    throw error;
  }
  return told.reduce((sum, { accepted }) => sum + accepted.length, 0);
}
