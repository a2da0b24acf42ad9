import type { MissionLine } from '../../domain/missions/mission';
import { offsetOf, type DockPosition, type Offset } from './dock';

/** A part of the way between the climb and the descent. */
export interface Leg {
  readonly seconds: number;
  readonly droneState: string;
  /** Where the drone is, `s` seconds after the beginning of the leg. */
  readonly at: (s: number) => Offset;
  /** Metres above the dock then; default: the height of the course. */
  readonly upAt?: (s: number) => number;
}

/** How long a drone takes to reach its cruising speed, and to brake, in seconds. */
export const RAMP_S = 15;

/** How much of a way is flown after `s` seconds of `total`: with a constant speed between smooth ramps at both ends. */
export function flownAt(s: number, total: number, way: number): number {
  if (s > total / 2) return way - flownAt(total - s, total, way);
  const ramp = Math.min(RAMP_S, total / 2);
  const u = Math.min(1, Math.max(0, s / ramp));
  return (way / (total - ramp)) * (ramp * (u ** 3 - u ** 4 / 2) + Math.max(0, s - ramp));
}

/** Metres per second in a second: what a drone takes on and brakes with on a straight way. */
const ACCELERATION = 2.5;

/** How long a straight way takes that is flown by {@link flownAt} with a speed of at most so many metres per second. */
export function secondsFor(metres: number, speed: number): number {
  // Of the smooth ramp, the steepest part is half as steep again as the whole.
  const cruise = Math.max(metres / speed, Math.sqrt((1.5 * metres) / ACCELERATION));
  return cruise + Math.min(RAMP_S, cruise);
}

/** The metres that {@link flownAt} flies at most in so many seconds. */
export const mostIn = (seconds: number): number => (ACCELERATION * seconds ** 2) / 6;

/** A straight leg, at a speed in metres per second. */
export function straight(from: Offset, to: Offset, speed: number, droneState: string): Leg {
  const [east, north] = [to[0] - from[0], to[1] - from[1]];
  const metres = Math.hypot(east, north);
  const seconds = secondsFor(metres, speed);
  const at = (s: number): Offset => {
    const part = metres === 0 ? 1 : flownAt(s, seconds, metres) / metres;
    return [from[0] + part * east, from[1] + part * north];
  };
  return { seconds, droneState, at };
}

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
