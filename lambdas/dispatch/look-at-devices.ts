import { readDevices } from '../../data/fleet/save-device-state';
import { listStandingDevices } from '../../data/fleet/standing-devices';
import { readBusyDevices } from '../../data/jobs/busy-devices';
import { readClaimedDevices } from '../../data/jobs/claimed-devices';
import * as dispatch from '../../domain/dispatch/candidate';
import { standingPlace, type Place } from '../../domain/fleet/standing-device';
import type { Organisation } from '../../domain/values/id';

/** Where a device is wanted, which or of which group, how fast, and when at the latest. */
export interface DispatchTarget {
  readonly place: Place;
  readonly deviceGroupId?: string | undefined;
  readonly deviceId?: string | undefined;
  readonly flight?: { readonly speed?: number | undefined } | undefined;
  readonly maxEtaSeconds?: number | undefined;
}

/** A device that was looked at, with its group. */
export interface Nearest extends dispatch.Candidate {
  readonly deviceGroupId: string;
  /** The job of a claim of the device that has ended. */
  readonly outlived?: string | undefined;
}

/** How many devices are read as they are now by one call, and how often. */
const DEVICES_IN_READ = 20;
const MAX_READS = 5;

/**
 * Looks at the devices that stand, without taking one: those that may be free twenty at a time, as they are now and
 * nearest first; then the nearest of the others, as the index knows them. Whoever has found a device stops, and saves
 * the further reads.
 * @param now ISO 8601
 * @returns devices, each with the reason why it is not free
 */
export async function* lookAtDevices(
  organisation: Organisation,
  target: DispatchTarget,
  now: string,
): AsyncGenerator<Nearest[], void> {
  const { place, deviceGroupId, deviceId } = target;
  const [standing, busy] = await Promise.all([
    listStandingDevices(organisation, deviceGroupId),
    readBusyDevices(organisation, now),
  ]);
  const ranked = dispatch
    .byDistance(standing, place)
    .filter((device) => deviceId === undefined || device.deviceId === deviceId);
  const mayBeFree = ranked.filter((device) => device.isOnline && !busy.has(device.deviceId));
  for (let read = 0; read < MAX_READS && read * DEVICES_IN_READ < mayBeFree.length; read += 1) {
    const some = mayBeFree.slice(read * DEVICES_IN_READ, (read + 1) * DEVICES_IN_READ);
    yield await asTheyAre(organisation, some, target, now);
  }
  yield ranked
    .filter((device) => !mayBeFree.includes(device))
    .slice(0, DEVICES_IN_READ)
    .map((device) => candidateOf(device, device.metres, target, device.isOnline ? 'BUSY' : 'OFFLINE'));
}

/** Devices as they are now, nearest first, each with the reason why it is not free. */
async function asTheyAre(
  organisation: Organisation,
  ranked: readonly dispatch.RankedDevice[],
  target: DispatchTarget,
  now: string,
): Promise<Nearest[]> {
  const ids = ranked.map(({ deviceId }) => deviceId);
  const [devices, claimed] = await Promise.all([readDevices(organisation, ids), readClaimedDevices(ids, now)]);
  return ranked
    .map((each) => {
      const device = devices.find(({ deviceId }) => deviceId === each.deviceId);
      const standsAt = device && standingPlace(device);
      const metres = standsAt ? dispatch.metresTo(standsAt, target.place) : each.metres;
      const { etaSeconds, ...candidate } = candidateOf({ ...each, ...device }, metres, target);
      const { maxEtaSeconds } = target;
      const circumstances = { isBusy: claimed.held.has(each.deviceId), etaSeconds, maxEtaSeconds, now };
      const reason = dispatch.whyPassedOver(device, circumstances);
      const outlived = claimed.outlived.get(each.deviceId);
      return { ...candidate, etaSeconds, outlived, ...(reason && { reason }) };
    })
    .sort((one, other) => one.distance - other.distance);
}

const candidateOf = (
  { deviceId, deviceGroupId }: Pick<Nearest, 'deviceId' | 'deviceGroupId'>,
  metres: number,
  { flight }: DispatchTarget,
  reason?: dispatch.PassedOver,
): Nearest => ({
  deviceId,
  deviceGroupId,
  distance: Math.round(metres * 10) / 10,
  etaSeconds: dispatch.estimateArrival(metres, flight?.speed),
  ...(reason && { reason }),
});
