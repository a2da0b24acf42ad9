/** Where devices stand that may be dispatched. */
import { isOnGround } from '../telemetry/drone-state';
import { measuredAt } from '../telemetry/known-state';
import type { Device } from './device';

/** Longitude and latitude in degrees. */
export type Place = readonly [longitude: number, latitude: number];

/** A device that stands, as the ranking needs it. */
export interface StandingDevice {
  readonly deviceId: string;
  readonly deviceGroupId: string;
  readonly place: Place;
  readonly isOnline: boolean;
}

/** What says where a device stands. */
export type Standing = Pick<Device, 'lastState' | 'standsSince'>;

/**
 * Where a device stands; undefined when it does not, or when that is not known: a place counts if it was measured while
 * the device has said, without a break, that it stands.
 */
export function standingPlace({ lastState, standsSince }: Standing): Place | undefined {
  const [longitude, latitude] = lastState?.navigation?.position?.coordinates ?? [];
  if (!lastState || !isOnGround(lastState.droneState) || longitude === undefined || latitude === undefined)
    return undefined;
  const saidAt = measuredAt(lastState, 'droneState') ?? -Infinity;
  const isSaidNow = saidAt === Date.parse(lastState.timestamp);
  const since = standsSince === undefined ? (isSaidNow ? saidAt : Infinity) : Date.parse(standsSince);
  return (measuredAt(lastState, 'navigation.position') ?? -Infinity) >= since ? [longitude, latitude] : undefined;
}
