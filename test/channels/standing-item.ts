import { fleetKey } from '../../data/fleet/fleet-key';
import { standingOf } from '../../data/fleet/standing-devices';
import type { Organisation } from '../../domain/values/id';
import type { Place } from '../../domain/fleet/standing-device';

/** A device that stands; online, and charged to 90 %, by default. */
export interface StandingDeviceItem {
  readonly deviceId: string;
  readonly deviceGroupId: string;
  readonly place: Place;
  readonly status?: 'online' | 'offline';
  readonly percent?: number;
  /** When it measured its state; default: now. */
  readonly measuredAt?: Date;
}

/** The item of such a device in the fleet table, as if it had reported a moment ago. */
export function standingItem(organisation: Organisation, device: StandingDeviceItem) {
  const { deviceId, deviceGroupId, place, status = 'online', percent = 90, measuredAt = new Date() } = device;
  const coordinates: [number, number, number] = [...place, 440];
  const state = {
    timestamp: measuredAt.toISOString(),
    droneState: 'DOCKED',
    navigation: { position: { type: 'Point' as const, coordinates } },
    battery: { percent },
  };
  return {
    ...fleetKey(organisation, deviceId),
    kind: 'device',
    deviceId,
    deviceGroupId,
    name: `Kestrel ${deviceId.slice(-4)}`,
    status,
    version: 1,
    lastState: JSON.stringify(state),
    ...standingOf(organisation, { lastState: state }),
  };
}
