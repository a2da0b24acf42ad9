import { readDevices } from '../../data/fleet/device-state';
import { listStandingDevices } from '../../data/fleet/standing-devices';
import { readBusyDevices } from '../../data/jobs/busy-devices';
import { readClaimed } from '../../data/requests/device-claims';
import * as dispatch from '../../domain/dispatch';
import { standingPlaceOf, type Place } from '../../domain/standing-device';
import type { Organisation } from '../../domain/id';

/** Where a device is wanted, of which group, how fast, and when at the latest. */
export interface Wanted {
  readonly place: Place;
  readonly deviceGroupId?: string | undefined;
  readonly flight?: { readonly speed?: number | undefined } | undefined;
  readonly maxEtaSeconds?: number | undefined;
}

/** A device that was looked at, with its group. */
export interface Nearest extends dispatch.Candidate {
  readonly deviceGroupId: string;
}

/** How many devices are read as they are now by one call, and how often. */
const DEVICES_IN_READ = 20;
const MAX_READS = 5;

/**
 * Takes the nearest device that is free.
 * @param now ISO 8601
 * @param take claims a device, with those that were looked at so far, nearest first; undefined when another call has claimed it
 * @returns what was taken
 * @throws Refusal `no_device` with the reasons
 */
export async function takeNearest<Taken>(
  organisation: Organisation,
  wanted: Wanted,
  now: string,
  take: (device: Nearest, candidates: readonly Nearest[]) => Promise<Taken | undefined>,
): Promise<Taken> {
  const { place, deviceGroupId } = wanted;
  const [standing, busy] = await Promise.all([
    listStandingDevices(organisation, deviceGroupId),
    readBusyDevices(organisation, now),
  ]);
  const ranked = dispatch.byDistance(standing, place);
  const mayBeFree = ranked.filter(({ deviceId, isOnline }) => isOnline && !busy.has(deviceId));
  const looked: Nearest[] = [];
  for (let read = 0; read < MAX_READS && read * DEVICES_IN_READ < mayBeFree.length; read += 1) {
    const some = mayBeFree.slice(read * DEVICES_IN_READ, (read + 1) * DEVICES_IN_READ);
    const known = await asTheyAre(organisation, some, wanted, now);
    for (const [index, device] of known.entries()) {
      const taken = device.reason ? undefined : await take(device, [...looked, ...known]);
      if (taken !== undefined) return taken;
      known[index] = { reason: 'BUSY', ...device };
    }
    looked.push(...known);
  }
  const others = ranked
    .filter((device) => !mayBeFree.includes(device))
    .slice(0, DEVICES_IN_READ)
    .map((device) => candidateOf(device, device.metres, wanted, device.isOnline ? 'BUSY' : 'OFFLINE'));
  throw dispatch.noDevice([...looked, ...others]);
}

/** Devices as they are now, nearest first, each with the reason why it is not free. */
async function asTheyAre(
  organisation: Organisation,
  ranked: readonly dispatch.RankedDevice[],
  wanted: Wanted,
  now: string,
): Promise<Nearest[]> {
  const ids = ranked.map(({ deviceId }) => deviceId);
  const [devices, claimed] = await Promise.all([readDevices(organisation, ids), readClaimed(ids, now)]);
  return ranked
    .map((each) => {
      const device = devices.find(({ deviceId }) => deviceId === each.deviceId);
      const standsAt = device?.lastState && standingPlaceOf(device.lastState);
      const metres = standsAt ? dispatch.metresTo(standsAt, wanted.place) : each.metres;
      const { etaSeconds, ...candidate } = candidateOf({ ...each, ...device }, metres, wanted);
      const circumstances = { isBusy: claimed.has(each.deviceId), etaSeconds, maxEtaSeconds: wanted.maxEtaSeconds };
      const reason = dispatch.whyPassedOver(device, circumstances);
      return { ...candidate, etaSeconds, ...(reason && { reason }) };
    })
    .sort((one, other) => one.distance - other.distance);
}

const candidateOf = (
  { deviceId, deviceGroupId }: Pick<Nearest, 'deviceId' | 'deviceGroupId'>,
  metres: number,
  { flight }: Wanted,
  reason?: dispatch.PassedOver,
): Nearest => ({
  deviceId,
  deviceGroupId,
  distance: Math.round(metres * 10) / 10,
  etaSeconds: dispatch.etaOf(metres, flight?.speed),
  ...(reason && { reason }),
});
