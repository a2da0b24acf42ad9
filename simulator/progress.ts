import type { Progress } from '../contract/platform';
import { courseOf, turnsBack, type Course, type Flight } from './course';
import { offsetAt } from './flight';
import { LINK_LOST_S, reportsOf, TAKE_OFF_S, timesOf } from './timeline';

/** Length of the steps in which a way is measured, in seconds: chords of its curves, a tenth of a percent shorter at most. */
const STEP_S = 1;

/** Metres that a drone flies between two times of its mission. */
export function metresBetween(course: Course, from: number, to: number): number {
  let metres = 0;
  // From the end, so that two calls take the same steps and the later one never has more metres left.
  for (let t = to; t > from; t -= STEP_S) {
    const [one, other] = [offsetAt(course, Math.max(from, t - STEP_S)), offsetAt(course, t)];
    metres += Math.hypot(other[0] - one[0], other[1] - one[1], other[2] - one[2]);
  }
  return metres;
}

/** Until when the flight does something of its mission: a drone that turns back does no more of it. */
const missionEnd = (flight: Flight, course: Course): number =>
  turnsBack(flight) ? timesOf(course).cruise + (course.legs[0]?.seconds ?? 0) : timesOf(course).docked;

/** Where a drone flies to, `t` seconds into its mission, as the time when it is there: the job's place, then its dock. */
function arrivalAfter(flight: Flight, course: Course, t: number): number {
  const { cruise, docked } = timesOf(course);
  const arrival = cruise + (course.legs[0]?.seconds ?? 0);
  return flight.plan.place && !turnsBack(flight) && t < arrival ? arrival : docked;
}

/**
 * How far a mission has come, `time` seconds into it: by the time flown, and along its course.
 * @param speed how many seconds of the mission pass in a second: what is left is told in real time
 * @returns undefined for a mission that does not take off
 */
export function progressAt(flight: Flight, time: number, speed: number): Progress | undefined {
  if (!reportsOf(flight).some(({ status }) => status === 'IN_PROGRESS')) return undefined;
  const course = courseOf(flight);
  const { docked } = timesOf(course);
  // What a drone does without its link nobody knows.
  const t = flight.plan.failure === 'link-loss' ? Math.min(time, LINK_LOST_S) : time;
  const done = Math.max(0, Math.min(t, missionEnd(flight, course)) - TAKE_OFF_S);
  const arrival = arrivalAfter(flight, course, t);
  return {
    percent: Number(((100 * done) / (docked - TAKE_OFF_S)).toFixed(1)),
    distanceLeft: Math.round(metresBetween(course, t, arrival)),
    secondsLeft: Math.round(Math.max(0, arrival - t) / speed),
  };
}
