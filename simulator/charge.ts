import { courseOf, ENDURANCE_S, type Course, type Flight } from './course';
import { secondAt, whenAt, type Stretch } from './stretch';
import { TAKE_OFF_S, timesOf } from './timeline';
import { wayHome } from './way';
import type { Place } from './plane';

/** Percent of the charge that a second in the air takes, beside the course of the job, which knows its own. */
export const PER_SECOND = 100 / ENDURANCE_S;

/** Percent that a drone keeps: with less left than this and the way home, it returns by itself. */
export const RESERVE = 10;

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

/** How long a search for a low charge takes at most, in seconds of the mission: nothing flies for longer. */
const MOST_S = 2 * ENDURANCE_S;

/** When the charge of a flight is needed to get home, from a time on and before another; undefined when it is not. */
export function lowAt(flight: Flight, stretches: readonly Stretch[], from: number, before: number) {
  const end = Math.min(before, from + MOST_S);
  const course = courseOf(flight);
  let [index, spent] = [stretches.findLastIndex((one) => one.from <= from), spentAt(flight, stretches, from)];
  let known = from;
  for (let t = from; t < end; t += 1) {
    // Only what has been spent since the last step, so that a long flight with many commands is looked through once.
    for (; ; index += 1) {
      const [stretch, next] = [stretches[index], stretches[index + 1]];
      if (!stretch) return undefined;
      const until = Math.min(t, next?.from ?? t);
      spent += ofStretch(course, stretch, until) - ofStretch(course, stretch, known);
      known = until;
      if (!next || next.from > t) break;
    }
    const stretch = stretches[index];
    if (stretch && 100 - spent < neededFrom(stretch.way.at(secondAt(stretch, t)))) return t;
  }
  return undefined;
}
