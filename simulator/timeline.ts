import type { FailureReason, InboundDetail } from '../contract/platform';
import { courseOf, MAX_CHARGE, type Course, type Flight } from './course';

/** A status that a mission reports for its job, and when, in seconds of the mission. */
export interface Report extends Pick<InboundDetail<'job.status.reported'>, 'status' | 'plannedFlight'> {
  readonly at: number;
  /** Why it failed. */
  readonly reason?: FailureReason | undefined;
}

/** When the parts of a mission begin, in seconds. */
export const DOCK_OPENS_S = 2;
export const TAKE_OFF_S = 5;
/** When the link is lost, and when the mission is given up for it. */
export const LINK_LOST_S = 30;
const LINK_GIVEN_UP_S = 45;
/** When the dock is found not to open. */
export const DOCK_FAULT_S = 10;
/** How long the dock takes to close. */
const CLOSING_S = 4;

/** When the later parts of a mission begin, in seconds. */
export function timesOf({ climbS, legs }: Course) {
  const cruise = TAKE_OFF_S + climbS;
  const descent = cruise + legs.reduce((sum, { seconds }) => sum + seconds, 0);
  return { cruise, descent, touchDown: descent + climbS, docked: descent + climbS + CLOSING_S };
}

/** The heights above its dock that a drone flies at, in metres. */
const [MIN_HEIGHT, MAX_HEIGHT] = [1, 500];

/** Why a drone does not take off for a place or a line at all; undefined when it does. */
export function whyRefused({ plan: { place, line, failure } }: Flight, course: Course): FailureReason | undefined {
  if (!place && !line) return undefined;
  const { lowest, highest, charge } = course;
  if (lowest < MIN_HEIGHT || highest > MAX_HEIGHT) return 'UNREACHABLE';
  return failure === undefined && charge > MAX_CHARGE ? 'LOW_BATTERY' : undefined;
}

function finalReport({ plan: { failure } }: Flight, course: Course): Report {
  const { docked } = timesOf(course);
  if (failure === 'link-loss') return { at: LINK_GIVEN_UP_S, status: 'FAILED', reason: 'LINK_LOSS' };
  if (failure === 'dock-fault') return { at: DOCK_FAULT_S, status: 'FAILED', reason: 'DOCK_FAULT' };
  if (failure === undefined) return { at: docked, status: 'COMPLETED' };
  return { at: docked, status: 'FAILED', reason: failure === 'abort' ? 'ABORTED' : 'LOW_BATTERY' };
}

/** What a mission reports, in order. */
export function reportsOf(flight: Flight): readonly Report[] {
  const course = courseOf(flight);
  const reason = whyRefused(flight, course);
  if (reason) return [{ at: 0, status: 'FAILED', reason }];
  const queued: Report = { at: 0, status: 'QUEUED', plannedFlight: course.planned };
  const started: Report[] = flight.plan.failure === 'dock-fault' ? [] : [{ at: TAKE_OFF_S, status: 'IN_PROGRESS' }];
  return [queued, ...started, finalReport(flight, course)];
}

/** When the device is available again, in seconds; one whose link was lost returns home by itself. */
export function freeAt(flight: Flight): number {
  const course = courseOf(flight);
  if (whyRefused(flight, course)) return 0;
  return flight.plan.failure === 'dock-fault' ? DOCK_FAULT_S + 5 : timesOf(course).docked + 2;
}
