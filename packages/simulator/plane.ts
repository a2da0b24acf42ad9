import { longitudeBeside } from '../../domain/values/longitude';
import type { DockPosition } from './dock-position';

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
