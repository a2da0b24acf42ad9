import { courseOf, ENDURANCE_S, type Course, type Flight } from './course';
import { placeAt, secondAt, whenAt, type Stretch } from './stretch';
import { TAKE_OFF_S, timesOf } from './timeline';
import { wayHome } from './way';
import type { Place } from './dock';

/** Percent of the charge that a second in the air takes, beside the course of the job, which knows its own. */
export const PER_SECOND = 100 / ENDURANCE_S;

/** Percent that a drone keeps: with less left than this and the way home, it returns by itself. */
const RESERVE = 10;

/** Percent that a part of the course takes. */
function ofCourse(course: Course, from: number, until: number): number {
  const { touchDown } = timesOf(course);
  const inAir = (second: number) => Math.min(touchDown, Math.max(TAKE_OFF_S, second));
  return (course.charge * (inAir(until) - inAir(from))) / (touchDown - TAKE_OFF_S);
}

/** Percent that a stretch takes until `t`. */
function ofStretch(course: Course, stretch: Stretch, t: number): number {
  const { from, second, way } = stretch;
  const until = Math.max(from, Math.min(t, whenAt(stretch, way.touchDown)));
  if (!way.courseAt) return PER_SECOND * (until - from);
  const [begin, end] = [way.courseAt(second), way.courseAt(secondAt(stretch, until))];
  // Slower than planned, it stays in the air for longer.
  return ofCourse(course, begin, end) + PER_SECOND * Math.max(0, until - from - (end - begin));
}

/** Percent of the charge that a flight has taken, `t` seconds into the mission. */
export function spentAt(flight: Flight, stretches: readonly Stretch[], t: number): number {
  const course = courseOf(flight);
  return stretches
    .filter(({ from }) => from <= t)
    .reduce((sum, stretch, index) => sum + ofStretch(course, stretch, Math.min(t, stretches[index + 1]?.from ?? t)), 0);
}

/** Percent that a drone needs to get home from a place, with its reserve. */
export const neededFrom = (place: Place): number => PER_SECOND * wayHome(place).touchDown + RESERVE;

/**
 * Percent by which the charge gets nearer to what is needed in a second at most, beside what the course takes: the way
 * home gets longer.
 */
const NEARER_PER_SECOND = 3;

/** How long a search for a low charge takes at most, in seconds of the mission: nothing flies for longer. */
const MOST_S = 2 * ENDURANCE_S;

/** When the charge of a flight is needed to get home, from a time on and before another; undefined when it is not. */
export function lowAt(flight: Flight, stretches: readonly Stretch[], from: number, before: number) {
  const end = Math.min(before, from + MOST_S);
  const course = courseOf(flight);
  const nearer = NEARER_PER_SECOND + course.charge / (timesOf(course).touchDown - TAKE_OFF_S);
  for (let t = from; t < end;) {
    const stretch = stretches.findLast((one) => one.from <= t);
    if (!stretch) return undefined;
    const more = 100 - spentAt(flight, stretches, t) - neededFrom(placeAt(stretch, t));
    if (more < 0) return t;
    // As far as nothing can be missed; in whole seconds, so that a later command finds the same before it.
    t += Math.max(1, Math.floor(more / nearer));
  }
  return undefined;
}
