/** Where devices stand that may be dispatched. */
import { isOnGround } from '../telemetry/flight';
import type { DeviceState } from '../telemetry/sample';

/** Longitude and latitude in degrees. */
export type Place = readonly [longitude: number, latitude: number];

/** A device that stands, as the ranking needs it. */
export interface StandingDevice {
  readonly deviceId: string;
  readonly deviceGroupId: string;
  readonly place: Place;
  readonly isOnline: boolean;
}

/** Where a device stands by its state; undefined when it does not, or when that is not known. */
export function standingPlace({ droneState, navigation }: DeviceState): Place | undefined {
  const [longitude, latitude] = navigation?.position?.coordinates ?? [];
  if (!isOnGround(droneState) || longitude === undefined || latitude === undefined) return undefined;
  return [longitude, latitude];
}
