import type { FailureReason } from '../../domain/jobs/job-report';
import { ease, MAX_CHARGE, type Course, type Flight } from './course';
import type { Place } from './dock';

/** When the parts of a mission begin, in seconds. */
const DOCK_OPENS_S = 2;
export const TAKE_OFF_S = 5;
/** When the link is lost, and when the mission is given up for it. */
export const LINK_LOST_S = 30;
export const LINK_GIVEN_UP_S = 45;
/** When the dock is found not to open. */
export const DOCK_FAULT_S = 10;
/** How long the dock takes to close. */
export const CLOSING_S = 4;

/** When the later parts of a mission begin, in seconds. */
export function timesOf({ climbS, legs }: Course) {
  const cruise = TAKE_OFF_S + climbS;
  const descent = cruise + legs.reduce((sum, { seconds }) => sum + seconds, 0);
  return { cruise, descent, touchDown: descent + climbS, docked: descent + climbS + CLOSING_S };
}

/** The heights above its dock that a drone flies at, in metres. */
export const [MIN_HEIGHT, MAX_HEIGHT] = [1, 500];

/** Why a drone does not take off for a place or a line at all; undefined when it does. */
export function whyRefused({ plan: { place, line, failure } }: Flight, course: Course): FailureReason | undefined {
  if (!place && !line) return undefined;
  const { lowest, highest, charge } = course;
  if (lowest < MIN_HEIGHT || highest > MAX_HEIGHT) return 'UNREACHABLE';
  return failure === undefined && charge > MAX_CHARGE ? 'LOW_BATTERY' : undefined;
}

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
