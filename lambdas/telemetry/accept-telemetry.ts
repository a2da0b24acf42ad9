import { readDevices } from '../../data/fleet/device-state';
import { isNextState } from '../../data/fleet/next-state';
import type { Device } from '../../domain/fleet';
import { organisationOf, type Organisation } from '../../domain/id';
import { Refusal, type Detail } from '../../domain/refusal';
import { MAX_AHEAD_MS, isReadableAsJson, OFFLINE_AFTER_MS, type Sample } from '../../domain/telemetry';
import { allSettled } from '../delivery/all-settled';
import { deliverTelemetry, findFollowers, type FollowersOf } from './deliver-telemetry';
import { forgetDevice, knownDevice } from './known-devices';
import { newSamples, noteOldReport, remember, saveAll, saveNext, type DeviceReport } from './save-report';
import { sampleMessage } from './sample-message';
import { isShared, noteRead } from './shared-devices';

async function deliverReport({ device, accepted }: DeviceReport, followersOf: FollowersOf, now: Date): Promise<void> {
  if (accepted.length === 0) return;
  const messages = accepted.map(({ deviceId: _deviceId, ...state }) => sampleMessage(device, state, now));
  await deliverTelemetry(device, messages, followersOf);
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

/** Whether these samples of a device need nothing but a write of its next state. */
function needNextState(device: Device, samples: readonly Sample[], now: Date): boolean {
  const accepted = newSamples(device, samples);
  return accepted.length > 0 && isNextState(device, accepted, now);
}

/** The device, if this instance knows it so well that the next state needs no read. */
function knownOf(organisation: Organisation, deviceId: string, samples: readonly Sample[], now: Date): Device[] {
  if (organisationOf('device', deviceId) !== organisation || isShared(deviceId)) return [];
  const device = knownDevice(deviceId, now);
  return device && needNextState(device, samples, now) ? [device] : [];
}

/** The results of those that succeeded. */
async function fulfilled<Value>(all: readonly Promise<Value | undefined>[]): Promise<Value[]> {
  const outcomes = await Promise.allSettled(all);
  return outcomes.flatMap((each) => (each.status === 'fulfilled' && each.value !== undefined ? [each.value] : []));
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
    const reports = [...(await fulfilled(saving)), ...unsaved.map((each) => ({ ...each, isSaved: false }))];
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
