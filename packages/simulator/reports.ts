import type { FailureReason } from '../../domain/jobs/job-report';
import type { InboundDetail } from '../../domain/platform/inbound-events';
import { courseOf, type Flight } from './course';
import { flownOf, overAt, type Flown } from './flown';
import { DOCK_FAULT_S, LINK_GIVEN_UP_S, LINK_LOST_S, TAKE_OFF_S, whyRefused } from './timeline';
import { STAYING } from './way';

/** A status that a mission reports for its job, and when, in seconds of the mission. */
export interface Report extends Pick<InboundDetail<'job.status.reported'>, 'status' | 'plannedFlight'> {
  readonly at: number;
  /** Why it failed. */
  readonly reason?: FailureReason | undefined;
  /** The command that ended it. */
  readonly commandId?: string | undefined;
}

/**
 * How long a device in its dock needs until it can fly again, after a fault of its dock, and after it was carried there
 * from where it landed.
 */
const READY_AFTER_S = 2;
const FAULT_REPAIRED_AFTER_S = 5;
const CARRIED_HOME_AFTER_S = 120;

/** The end of a flight by its plan. */
function plannedEnd({ plan: { failure } }: Flight, at: number): Report {
  if (failure === 'dock-fault') return { at: DOCK_FAULT_S, status: 'FAILED', reason: 'DOCK_FAULT' };
  if (failure === undefined) return { at, status: 'COMPLETED' };
  return { at, status: 'FAILED', reason: failure === 'abort' ? 'ABORTED' : 'LOW_BATTERY' };
}

function finalReport(flight: Flight, flown: Flown): Report {
  const { ending } = flown;
  const at = overAt(flown);
  if (flight.plan.failure === 'link-loss' && at >= LINK_LOST_S)
    return { at: LINK_GIVEN_UP_S, status: 'FAILED', reason: 'LINK_LOSS' };
  return ending ? { at, status: 'FAILED', ...ending } : plannedEnd(flight, at);
}

/** What a mission reports, in order; a time of Infinity needs another command. */
export function reportsOf(flight: Flight): readonly Report[] {
  const course = courseOf(flight);
  const reason = whyRefused(flight, course);
  if (reason) return [{ at: 0, status: 'FAILED', reason }];
  const flown = flownOf(flight);
  const final = finalReport(flight, flown);
  const queued: Report = { at: 0, status: 'QUEUED', plannedFlight: course.planned };
  const takesOff = flight.plan.failure !== 'dock-fault' && flown.stretches.at(-1)?.way !== STAYING;
  return [queued, ...(takesOff ? ([{ at: TAKE_OFF_S, status: 'IN_PROGRESS' }] as const) : []), final];
}

/** How much later than another report of its job a failure is published, in ms. */
const BEFORE_FAILURE_MS = 3000;

/**
 * The next reports that may be published now, in order. The bus keeps no order: the service sets a status that came
 * early aside for two seconds, but a failure may follow each status. One that is published too soon would be applied
 * first, and the status before it never.
 * @param reports due and not published yet, in order
 * @param reportedAt when the last one of the job was published, ISO 8601; undefined for none
 */
export function publishable<One extends Pick<Report, 'status'>>(
  reports: readonly One[],
  reportedAt: string | undefined,
  now: Date,
): readonly One[] {
  const failure = reports.findIndex(({ status }) => status === 'FAILED');
  const isAlone =
    failure === 0 && (reportedAt === undefined || now.getTime() - Date.parse(reportedAt) >= BEFORE_FAILURE_MS);
  return failure === -1 || isAlone ? reports : reports.slice(0, failure);
}

/** When the device is available again, in seconds; one whose link was lost returns home by itself. */
export function freeAt(flight: Flight): number {
  if (whyRefused(flight, courseOf(flight))) return 0;
  const flown = flownOf(flight);
  if (flight.plan.failure === 'dock-fault' && !flown.ending) return DOCK_FAULT_S + FAULT_REPAIRED_AFTER_S;
  const isInDock = flown.stretches.at(-1)?.way.purpose !== 'down';
  return overAt(flown) + (isInDock ? READY_AFTER_S : CARRIED_HOME_AFTER_S);
}
