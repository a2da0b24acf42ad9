/** Which changes of a job are made, and why others are refused. */
import * as z from 'zod/mini';
import { metadata } from '../values/metadata';
import { name, text } from '../values/text';
import type { Organisation } from '../values/id';
import { jobStatus, priority, whyJobRefused, type Job } from './job';
import { isFinal, isFlown, isReported, mayMove, type JobStatus } from './job-lifecycle';
import { whyReportIsWrong, type StatusCause } from './job-report';
import { Refusal, invalid } from '../values/refusal';
import type { PLATFORM, SERVICE } from '../values/service';

/** The fields of a job that a partner may change. */
export const jobChange = z.strictObject({
  name: z.optional(name),
  description: z.optional(text(0, 4096)),
  priority: z.optional(priority),
  status: z.optional(jobStatus),
  metadata: z.optional(metadata),
});
export type JobChange = z.output<typeof jobChange>;

/** Who changes a job: the drone platform by a report, or this service; undefined for a partner. */
export type ChangedBy = typeof PLATFORM | typeof SERVICE | undefined;

/** A job as it is stored, as far as a change depends on it. */
interface Found {
  readonly owner: Organisation;
  /** Whether the drone platform has reported on it. */
  readonly hasReports: boolean;
  readonly job: Job;
}

/** What a change requires of the stored job. */
export interface JobGuard {
  readonly caller: Organisation;
  readonly changedBy?: ChangedBy;
  /** The requested status; undefined when the change leaves it. */
  readonly status?: JobStatus | undefined;
  /** The versions of which it must have one (`If-Match`); undefined for any. */
  readonly ifVersions?: readonly number[] | undefined;
  /** What the platform reports with the status. */
  readonly cause?: StatusCause | undefined;
}

/** Whether a change contains nothing, or only the given status. */
export const changesNothing = (change: JobChange, status: JobStatus | undefined) =>
  Object.entries(change).every(([field, value]) => value === undefined || (field === 'status' && value === status));

/**
 * Whether only the drone platform may change a job to this status, once it has reported on the job: a partner could
 * otherwise make a job COMPLETED whose drone is in the air, and the report of how it ended would be contradictory. To
 * cancel stays the partner's.
 */
export const isLeftToPlatform = (status: JobStatus, changedBy: ChangedBy): boolean =>
  changedBy === undefined && isReported(status);

/**
 * Why a change to a job was refused.
 * @param found undefined when the job does not exist
 * @returns undefined when the change is allowed
 */
export function whyChangeRefused(found: Found | undefined, guard: JobGuard): Refusal | undefined {
  const refusal = whyJobRefused(found, guard);
  if (refusal || !found) return refusal;
  const wrong = guard.cause && whyReportIsWrong(found.job, guard.cause);
  if (wrong) return wrong;
  if (guard.ifVersions && !guard.ifVersions.includes(found.job.version)) return new Refusal('stale_version');
  return whyStatusRefused(found, guard);
}

function whyStatusRefused({ job, hasReports }: Found, { status, changedBy }: JobGuard): Refusal | undefined {
  if (status === undefined || status === job.status) return undefined;
  const isMove = mayMove(job.status, status);
  if (isMove && !(hasReports && isLeftToPlatform(status, changedBy))) return undefined;
  // Of a job that is over there is nothing more to report.
  const isFlownByPlatform = hasReports && changedBy === undefined && !isFinal(job.status);
  return invalid('status', isFlownByPlatform ? REPORTED_BY_PLATFORM : `can't move from ${job.status} to ${status}`);
}

/** Why a partner may not set the status of a job on which the platform has reported, and what to do. */
export const REPORTED_BY_PLATFORM =
  'is reported by the drone platform, which flies the job: cancel it while it is QUEUED, or end its flight by the command RETURN_HOME';

/** The refusal to cancel a job with this status. */
export const cannotCancel = (status: JobStatus): Refusal =>
  new Refusal('cannot_cancel', isFlown(status) ? [{ path: 'jobId', message: IN_FLIGHT }] : []);

const IN_FLIGHT = 'is in flight: send its device the command RETURN_HOME, by POST /v3/devices/{deviceId}/commands';
