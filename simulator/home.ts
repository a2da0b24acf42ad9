import { between } from './chance';

/** Longitude and latitude in degrees, altitude in metres above mean sea level. */
export interface Home {
  readonly longitude: number;
  readonly latitude: number;
  readonly altitude: number;
}

/** Where the dock of a device stands: those of a group within a few hundred metres of each other. */
export const homeOf = (seed: string, deviceGroupId: string, deviceId: string): Home => ({
  longitude: between(8.2, 8.9, seed, deviceGroupId, 'x') + between(-0.003, 0.003, seed, deviceId, 'x'),
  latitude: between(47.1, 47.6, seed, deviceGroupId, 'y') + between(-0.002, 0.002, seed, deviceId, 'y'),
  altitude: between(400, 600, seed, deviceGroupId, 'z'),
});
