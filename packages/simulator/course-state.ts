import { ease, type Course, type Flight } from './course';
import type { Place } from './plane';
import { DOCK_FAULT_S, DOCK_OPENS_S, TAKE_OFF_S, timesOf } from './timeline';

const clamp = (value: number) => Math.min(1, Math.max(0, value));

/** The leg that is flown `t` seconds into a mission, and for how long; before and after the legs the first and the last one. */
function legAt(course: Course, t: number) {
  let s = Math.max(0, t - timesOf(course).cruise);
  const leg = course.legs.find(({ seconds }) => {
    if (s < seconds) return true;
    s -= seconds;
    return false;
  });
  const last = course.legs.at(-1);
  if (!last) throw new Error('a course has no legs');
  return leg ? { leg, s } : { leg: last, s: last.seconds };
}

/** Metres east, north and above the dock. */
export function offsetAt(course: Course, t: number): Place {
  const { height, lastHeight, climbS } = course;
  const { cruise, descent } = timesOf(course);
  const { leg, s } = legAt(course, t);
  const [east, north] = leg.at(s);
  const climbed = (from: number) => ease(clamp((t - from) / climbS));
  if (t < cruise) return [east, north, height * climbed(cruise - climbS)];
  if (t >= descent) return [east, north, lastHeight * (1 - climbed(descent))];
  return [east, north, leg.upAt?.(s) ?? height];
}

/** What the drone does, `t` seconds into the course. */
export function droneStateAt({ plan }: Flight, course: Course, t: number): string {
  const { cruise, descent, touchDown, docked } = timesOf(course);
  if (plan.failure === 'dock-fault' || t < TAKE_OFF_S || t >= docked) return 'DOCKED';
  if (t >= touchDown) return 'LANDED';
  if (t < cruise) return 'GPS_NORMAL';
  return t >= descent ? 'RETURNING' : legAt(course, t).leg.droneState;
}

/** What its dock does then. */
export function dockStateAt({ plan }: Flight, course: Course, t: number): string {
  const { cruise, descent, touchDown, docked } = timesOf(course);
  if (t < DOCK_OPENS_S) return 'CLOSED';
  if (plan.failure === 'dock-fault') return t < DOCK_FAULT_S ? 'OPENING' : 'FAULT';
  if (t < TAKE_OFF_S) return 'OPENING';
  if (t < cruise) return 'OPEN';
  if (t < descent) return 'TASK_INPROGRESS';
  if (t < touchDown) return 'OPEN';
  return t < docked ? 'CLOSING' : 'CHARGING';
}
