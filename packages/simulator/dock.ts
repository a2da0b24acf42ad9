import { longitudeBeside } from '../../domain/values/longitude';
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

/** Metres east and north of the dock. */
export type Offset = readonly [east: number, north: number];

/** The same, and metres above the dock. */
export type Place = readonly [east: number, north: number, up: number];

const METRES_PER_DEGREE = 111_320;

const perLongitude = ({ latitude }: DockPosition) => METRES_PER_DEGREE * Math.cos((latitude * Math.PI) / 180);

/** A place by its degrees: on the plane that touches the Earth at the dock. */
export function offsetOf(dock: DockPosition, longitude: number, latitude: number): Offset {
  // The short way round, also across 180°.
  const east = longitudeBeside(longitude, dock.longitude) - dock.longitude;
  return [east * perLongitude(dock), (latitude - dock.latitude) * METRES_PER_DEGREE];
}

/** Longitude and latitude of a place; the opposite of {@link offsetOf}. */
export function degreesOf(dock: DockPosition, [east, north]: Offset): readonly [longitude: number, latitude: number] {
  const longitude = dock.longitude + east / perLongitude(dock);
  return [longitudeBeside(longitude, 0), dock.latitude + north / METRES_PER_DEGREE];
}
