import { metresTo } from '../../domain/dispatch/candidate';

/** Longitude and latitude, in degrees. */
export type Place = readonly [longitude: number, latitude: number];

/** How far the alarm is from the nearest dock, in metres, more or less. */
const AWAY_M = 200;

/**
 * A place beyond the outermost of some docks, which is therefore nearer than all others. So it works wherever the docks are.
 * @param docks at least one, within a few kilometres of each other
 */
export function alarmNear(docks: readonly Place[]): Place {
  const mean = (axis: 0 | 1) => docks.reduce((sum, dock) => sum + dock[axis], 0) / docks.length;
  const centre: Place = [mean(0), mean(1)];
  const [outermost = centre] = byDistance(docks, (dock) => dock, centre).reverse();
  const metres = metresTo(centre, outermost);
  // A single dock is the centre itself: the alarm is north of it.
  if (metres < 1) return [outermost[0], outermost[1] + AWAY_M / METRES_PER_DEGREE];
  const factor = 1 + AWAY_M / metres;
  const beyond = (axis: 0 | 1) => Number((centre[axis] + factor * (outermost[axis] - centre[axis])).toFixed(5));
  return [beyond(0), beyond(1)];
}

/** Of a degree of latitude. */
const METRES_PER_DEGREE = 111_320;

/** What has a place, nearest first. */
export const byDistance = <Thing>(things: readonly Thing[], placeOf: (thing: Thing) => Place, from: Place): Thing[] =>
  things.toSorted((one, other) => metresTo(placeOf(one), from) - metresTo(placeOf(other), from));
