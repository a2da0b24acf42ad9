import type { FailureReason } from '../../domain/jobs/job-report';
import { MAX_CHARGE, type Course, type Flight } from './course';

/** When the parts of a mission begin, in seconds. */
export const DOCK_OPENS_S = 2;
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
