import type { Offset } from './plane';

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
