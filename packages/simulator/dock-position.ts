import { seededBetween } from './seeded-random';

/** Longitude and latitude in degrees, altitude in metres above mean sea level. */
export interface DockPosition {
  readonly longitude: number;
  readonly latitude: number;
  readonly altitude: number;
}

/** Position of a device's dock; docks of a group are within a few hundred metres of each other. */
export const dockPositionOf = (seed: string, deviceGroupId: string, deviceId: string): DockPosition => ({
  longitude: seededBetween(8.2, 8.9, seed, deviceGroupId, 'x') + seededBetween(-0.003, 0.003, seed, deviceId, 'x'),
  latitude: seededBetween(47.1, 47.6, seed, deviceGroupId, 'y') + seededBetween(-0.002, 0.002, seed, deviceId, 'y'),
  altitude: seededBetween(400, 600, seed, deviceGroupId, 'z'),
});
