import type { MissionLine } from '../../domain/missions/mission';
import type { DockPosition } from './dock-position';
import { flownAt, secondsFor, type Leg } from './leg';
import { offsetOf, type Offset } from './plane';

/** A waypoint: metres east and north of the dock, and above it. */
export interface Point {
  readonly at: Offset;
  readonly up: number;
}

/**
 * The waypoints of a mission as a drone of this dock flies them. The simulated ground is flat, at the height of the
 * dock, and an ellipsoid of the Earth is its mean sea level.
 * @param height of a mission without heights
 */
export const pointsOf = (
  dock: DockPosition,
  { waypoints, heightReference }: MissionLine,
  height: number,
): readonly Point[] =>
  waypoints.map(([longitude, latitude, up = height]) => {
    const isAbsolute = heightReference === 'SEA_LEVEL' || heightReference === 'ELLIPSOID';
    return { at: offsetOf(dock, longitude, latitude), up: isAbsolute ? up - dock.altitude : up };
  });

/** A leg along a line, at a speed in metres per second over ground: it does not stop at the waypoints between its ends. */
export function along(points: readonly Point[], speed: number): Leg {
  const metresTo: number[] = [];
  points.forEach(({ at }, index) => {
    const before = points[index - 1]?.at ?? at;
    metresTo.push((metresTo[index - 1] ?? 0) + Math.hypot(at[0] - before[0], at[1] - before[1]));
  });
  const metres = metresTo.at(-1) ?? 0;
  const seconds = secondsFor(metres, speed);
  const pointAt = (s: number): Point => {
    const flown = metres === 0 ? 0 : flownAt(Math.min(s, seconds), seconds, metres);
    const next = Math.max(
      1,
      metresTo.findIndex((end) => end >= flown),
    );
    const [from, to] = [points[next - 1], points[next]];
    if (!from || !to) throw new Error('a line has fewer than two waypoints');
    const [start = 0, end = 0] = [metresTo[next - 1], metresTo[next]];
    const part = end === start ? 1 : (flown - start) / (end - start);
    const between = (one: number, other: number) => one + part * (other - one);
    return { at: [between(from.at[0], to.at[0]), between(from.at[1], to.at[1])], up: between(from.up, to.up) };
  };
  return { seconds, droneState: 'WAYPOINT', at: (s) => pointAt(s).at, upAt: (s) => pointAt(s).up };
}
