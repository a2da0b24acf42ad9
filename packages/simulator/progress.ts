import type { Progress } from '../../domain/jobs/progress';
import { courseOf, turnsBack, type Flight } from './course';
import { flownOf, overAt, placeOfFlown, stretchAt, type Flown } from './flown';
import type { Place } from './dock';
import { reportsOf } from './reports';
import { secondAt } from './stretch';
import { LINK_LOST_S, TAKE_OFF_S, timesOf } from './timeline';

/** Length of the steps in which a way is measured, in seconds: chords of its curves, a tenth of a percent shorter at most. */
const STEP_S = 1;

/** Metres that a drone flies between two times, of which its place is known. */
export function metresBetween(placeAt: (t: number) => Place, from: number, to: number): number {
  let metres = 0;
  // From the end, so that two calls take the same steps and the later one never has more metres left.
  for (let t = to; t > from; t -= STEP_S) {
    const [one, other] = [placeAt(Math.max(from, t - STEP_S)), placeAt(t)];
    metres += Math.hypot(other[0] - one[0], other[1] - one[1], other[2] - one[2]);
  }
  return metres;
}

/** How far a drone has come on its course, in seconds of it: as far as it had come, if it left it for a command. */
function courseSecondAt(flown: Flown, t: number): number {
  const { stretches } = flown;
  const active = stretchAt(flown, t);
  const last = stretches.slice(0, stretches.indexOf(active) + 1).findLast(({ way }) => way.courseAt);
  if (!last) return 0;
  const next = stretches[stretches.indexOf(last) + 1];
  return last.way.courseAt?.(secondAt(last, Math.min(t, next?.from ?? t))) ?? 0;
}

/** Until when the course does something of the mission: a drone that turns back does no more of it. */
function missionEnd(flight: Flight): number {
  const course = courseOf(flight);
  const { cruise, docked } = timesOf(course);
  return turnsBack(flight) ? cruise + (course.legs[0]?.seconds ?? 0) : docked;
}

/** When the drone is at its job's place, in seconds of the mission; undefined when it has been there, or flies to its dock. */
function arrivalAfter(flight: Flight, flown: Flown, t: number): number | undefined {
  const course = courseOf(flight);
  const arrival = timesOf(course).cruise + (course.legs[0]?.seconds ?? 0);
  if (!flight.plan.place || turnsBack(flight) || flown.ending || courseSecondAt(flown, t) >= arrival) return undefined;
  let [low, high] = [t, overAt(flown)];
  if (flown.stretches.length === 1) return arrival;
  for (let step = 0; step < 30; step += 1) {
    const middle = (low + high) / 2;
    if (courseSecondAt(flown, middle) < arrival) low = middle;
    else high = middle;
  }
  return high;
}

/** The flight as it goes on: one that needs a command for that, as if it was told to resume now. */
function goingOn(flight: Flight, t: number): Flown {
  if (overAt(flownOf(flight, t)) < Infinity) return flownOf(flight);
  return flownOf({ ...flight, commands: [...(flight.commands ?? []), { at: t, order: { name: 'RESUME' } }] });
}

/**
 * How far a mission has come, `time` seconds into it: by its course, and along what it flies.
 * @param speed how many seconds of the mission pass in a second: what is left is told in real time
 * @returns undefined for a mission that does not take off
 */
export function progressAt(flight: Flight, time: number, speed: number): Progress | undefined {
  if (!reportsOf(flight).some(({ status }) => status === 'IN_PROGRESS')) return undefined;
  // What a drone does without its link nobody knows.
  const t = flight.plan.failure === 'link-loss' ? Math.min(time, LINK_LOST_S) : time;
  const flown = goingOn(flight, t);
  const { docked } = timesOf(courseOf(flight));
  const done = Math.max(0, Math.min(courseSecondAt(flown, t), missionEnd(flight)) - TAKE_OFF_S);
  const arrival = arrivalAfter(flight, flown, t) ?? overAt(flown);
  return {
    percent: Number(((100 * done) / (docked - TAKE_OFF_S)).toFixed(1)),
    distanceLeft: Math.round(metresBetween((at) => placeOfFlown(flown, at), t, arrival)),
    secondsLeft: Math.round(Math.max(0, arrival - t) / speed),
  };
}
