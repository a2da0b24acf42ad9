import { courseOf, type Flight } from './course';
import { CLOSING_S, timesOf, dockStateAt, droneStateAt, offsetAt } from './timeline';
import { flownAt, secondsFor } from './leg';
import { passed, secondsUntil, type Pace } from './pace';
import type { Place } from './dock';

/** What a drone flies in one piece: it stands at the beginning of each way but the first, and at the end. */
export interface Way {
  /** What it is flown for: the job, a command that leaves the job's course, the way back to it, home, or to the ground. */
  readonly purpose: 'course' | 'detour' | 'back' | 'home' | 'down';
  /** How long it is; Infinity for a circle. */
  readonly seconds: number;
  /** Where the drone is after `s` seconds of it. */
  readonly at: (s: number) => Place;
  readonly stateAt: (s: number) => { readonly droneState: string; readonly dockState: string };
  /** From when on the drone stands on the ground; Infinity if it stays in the air. */
  readonly touchDown: number;
  /** Which second of the job's course it is then, of a way that follows the course. */
  readonly courseAt?: ((s: number) => number) | undefined;
}

/** The limits of a drone that obeys a command: metres per second, metres per second in a second to the middle of a circle. */
const MAX_SPEED = 15;
const MAX_VERTICAL_SPEED = 3;
const MAX_CENTRIPETAL = 2.5;
/** How fast it flies unless the command says so, in metres per second. */
export const USUAL_SPEED = 10;
/** How high it flies home at least, in metres above the dock: over trees and houses. */
const SAFE_HEIGHT = 30;
/** How near to the dock it needs no height to get home, in metres. */
const ABOVE_DOCK = 1;

const inTheAir = (droneState: string) => ({ droneState, dockState: 'TASK_INPROGRESS' });

/**
 * Seconds in which a rate changes by so much, of a way that is flown at `speed` metres per second: at most 2 m/s² in
 * addition.
 */
const secondsToChange = (by: number, speed: number): number => Math.max(2, 0.75 * by * speed);

/** How fast a way is flown in the seconds after `s`, in metres per second. */
function speedAfter(way: Pick<Way, 'at'>, s: number): number {
  const speeds = [0, 1, 2, 3, 4, 5].map((later) => {
    const [one, other] = [way.at(s + later), way.at(s + later + 0.1)];
    return Math.hypot(other[0] - one[0], other[1] - one[1], other[2] - one[2]) / 0.1;
  });
  return Math.max(...speeds);
}

/** A change of the rate at which a way is flown, at its second `s`: without a jolt. */
export function smoothly(way: Pick<Way, 'at'>, s: number, from: number, to: number): Pace {
  return { from, to, seconds: secondsToChange(Math.abs(to - from), speedAfter(way, s)) };
}

/** The course of a flight from a second of it on, where the drone stands; from 0 on it is the whole. */
export function wayAlong(flight: Flight, second = 0): Way {
  const course = courseOf(flight);
  const { touchDown, docked } = timesOf(course);
  const at = (s: number) => offsetAt(course, flight.plan.failure === 'dock-fault' ? 0 : s);
  const pace: Pace = second === 0 ? { from: 1, to: 1, seconds: 0 } : smoothly({ at }, second, 0, 1);
  const courseAt = (s: number) => second + passed(pace, s);
  return {
    purpose: 'course',
    seconds: secondsUntil(pace, docked - second),
    at: (s) => at(courseAt(s)),
    stateAt: (s) => ({
      droneState: droneStateAt(flight, course, courseAt(s)),
      dockState: dockStateAt(flight, course, courseAt(s)),
    }),
    touchDown: secondsUntil(pace, touchDown - second),
    courseAt,
  };
}

/** A straight part of a way, from rest to rest. */
function straightPart(from: Place, to: Place, speed: number) {
  const [east, north, up] = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
  const metres = Math.hypot(east, north, up);
  const share = Math.max(Math.hypot(east, north) / speed, Math.abs(up) / MAX_VERTICAL_SPEED);
  if (metres === 0) return { seconds: 0, at: () => to };
  const seconds = secondsFor(metres, metres / share);
  const at = (s: number): Place => {
    const part = flownAt(Math.min(s, seconds), seconds, 1);
    return [from[0] + part * east, from[1] + part * north, from[2] + part * up];
  };
  return { seconds, at };
}

/** Straight to a place, where the drone hovers. */
export function wayTo(from: Place, to: Place, speed: number, purpose: 'detour' | 'back'): Way {
  const { seconds, at } = straightPart(from, to, Math.min(speed, MAX_SPEED));
  const stateAt = (s: number) => inTheAir(s < seconds ? 'WAYPOINT' : 'HOVER');
  return { purpose, seconds, at, stateAt, touchDown: Infinity };
}

/** Where a circle around a place is entered: where it is nearest. */
export function entryOf(from: Place, [east, north, up]: Place, radius: number): Place {
  const angle = Math.atan2(from[1] - north, from[0] - east);
  return [east + radius * Math.cos(angle), north + radius * Math.sin(angle), up];
}

/** Around a place, from where the drone stands on the circle. */
export function wayAround(entry: Place, [east, north, up]: Place, radius: number, speed: number): Way {
  const angle = Math.atan2(entry[1] - north, entry[0] - east);
  const most = Math.min(speed, MAX_SPEED, Math.sqrt(MAX_CENTRIPETAL * radius));
  const pace: Pace = { from: 0, to: 1, seconds: secondsToChange(1, most) };
  const at = (s: number): Place => {
    const turned = angle - (most * passed(pace, s)) / radius;
    return [east + radius * Math.cos(turned), north + radius * Math.sin(turned), up];
  };
  return { purpose: 'detour', seconds: Infinity, at, stateAt: () => inTheAir('ORBIT'), touchDown: Infinity };
}

/** Home from a place, at a safe height; then the drone lands, and its dock closes. */
export function wayHome(from: Place): Way {
  const isAbove = Math.hypot(from[0], from[1]) < ABOVE_DOCK;
  const height = isAbove ? from[2] : Math.max(from[2], SAFE_HEIGHT);
  const climb = straightPart(from, [from[0], from[1], height], USUAL_SPEED);
  const across = straightPart([from[0], from[1], height], [0, 0, height], USUAL_SPEED);
  const descent = straightPart([0, 0, height], [0, 0, 0], USUAL_SPEED);
  const above = climb.seconds + across.seconds;
  const touchDown = above + descent.seconds;
  return {
    purpose: 'home',
    seconds: touchDown + CLOSING_S,
    touchDown,
    at: (s) => {
      if (s < climb.seconds) return climb.at(s);
      return s < above ? across.at(s - climb.seconds) : descent.at(s - above);
    },
    stateAt: (s) => {
      if (s < above) return inTheAir('RETURNING');
      if (s < touchDown) return { droneState: 'RETURNING', dockState: 'OPEN' };
      const isDocked = s >= touchDown + CLOSING_S;
      return isDocked
        ? { droneState: 'DOCKED', dockState: 'CHARGING' }
        : { droneState: 'LANDED', dockState: 'CLOSING' };
    },
  };
}

/** Down to the ground below a place. */
export function wayDown(from: Place): Way {
  const { seconds, at } = straightPart(from, [from[0], from[1], 0], USUAL_SPEED);
  const stateAt = (s: number) => inTheAir(s < seconds ? 'GPS_NORMAL' : 'LANDED');
  return { purpose: 'down', seconds, at, stateAt, touchDown: seconds };
}

/** Not to take off at all: the dock closes. */
export const STAYING: Way = {
  purpose: 'home',
  seconds: CLOSING_S,
  touchDown: 0,
  at: () => [0, 0, 0],
  stateAt: (s) => ({ droneState: 'DOCKED', dockState: s < CLOSING_S ? 'CLOSING' : 'CHARGING' }),
};
