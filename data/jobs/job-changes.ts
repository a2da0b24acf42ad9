import type { Organisation } from '../../domain/values/id';
import type { FlightTimes } from '../../domain/telemetry/flight-record';
import { whyJobRefused, type Job } from '../../domain/jobs/job';
import type { JobChange } from '../../domain/jobs/job-change';
import {
  cannotCancel,
  changesNothing,
  isLeftToPlatform,
  whyChangeRefused,
  type ChangedBy,
  type JobGuard,
} from '../../domain/jobs/job-change';
import { isFinal, isFlown, statusesBefore, type JobStatus } from '../../domain/jobs/job-lifecycle';
import { MAX_BEFORE_CREATION_MS, type StatusCause } from '../../domain/jobs/job-report';
import { Refusal } from '../../domain/values/refusal';
import { PLATFORM } from '../../domain/values/service';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { isOneOf, update } from '../store/expression';
import { jobFromItem, jobKey, readJob, statusKey, type StoredJob } from './jobs';
import { metadataText } from '../store/metadata-text';
import { itemThatRefused } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';

export interface ChangeOptions {
  /** Identifies this change, so that a retry by the SDK is recognised as done. */
  readonly changeId: string;
  /** Time of the change, ISO 8601. */
  readonly now: string;
  /** What is known of how it got its status: the platform reports it later. */
  readonly cause?: StatusCause | undefined;
  /** Required version of the job. */
  readonly ifVersions?: readonly number[] | undefined;
  /** Default: a partner. The drone platform is not told what it said. */
  readonly changedBy?: ChangedBy;
}

/** The time that a status begins or ends the flight of its job with. */
const flightTimeOf = (status: JobStatus): keyof FlightTimes | undefined =>
  isFlown(status) ? 'startedAt' : isFinal(status) ? 'endedAt' : undefined;

const later = (at: string, ms: number) => new Date(Date.parse(at) + ms).toISOString();

/**
 * The condition on the status before a change to `:status`. A partner's change stops at the first report of the
 * platform, which is `reported`; that report counts as a change although a partner has set the same status before.
 */
function statusCondition(from: readonly JobStatus[], status: JobStatus, changedBy: ChangedBy) {
  const { condition, values } = isOneOf('#status', 'from', from);
  if (isLeftToPlatform(status, changedBy))
    return { condition: `${condition} AND (attribute_not_exists(reported) OR #status = :status)`, values };
  if (changedBy === PLATFORM && !isFinal(status))
    return { condition: `(${condition} OR (#status = :status AND attribute_not_exists(reported)))`, values };
  return { condition, values };
}

/** One conditional write. `from`: the statuses that the job may have before; undefined for any. */
async function write(
  caller: Organisation,
  jobId: string,
  change: JobChange,
  from: readonly JobStatus[] | undefined,
  { changeId, now, cause = {}, ifVersions, changedBy }: ChangeOptions,
): Promise<{ written: Job } | { found: StoredJob | undefined }> {
  const { status } = change;
  const { reportedAt, ...told } = cause;
  const flightTime = status && flightTimeOf(status);
  const version = ifVersions && isOneOf('version', 'version', ifVersions);
  const before = from && status && statusCondition(from, status, changedBy);
  const conditions = [
    'organisation = :caller',
    // Otherwise a retry by the SDK would count as a second change.
    '(attribute_not_exists(changeId) OR changeId <> :changeId)',
    ...(version ? [version.condition] : []),
    ...(told.deviceId !== undefined ? ['(attribute_not_exists(deviceId) OR deviceId = :deviceId)'] : []),
    ...(reportedAt !== undefined ? ['createdAt <= :latestCreation'] : []),
    ...(before ? [before.condition] : []),
  ];
  try {
    const { Attributes } = await dynamodb.send(
      new UpdateCommand({
        TableName: table('jobs'),
        Key: jobKey(jobId),
        ...update({
          set: {
            ...change,
            ...told,
            reported: reportedAt !== undefined ? { status, at: reportedAt } : undefined,
            metadata: metadataText(change.metadata),
            organisationStatus: status && statusKey(caller, status),
            updatedAt: now,
            changeId,
            changedBy: changedBy === PLATFORM ? changedBy : undefined,
          },
          setOnce: {
            ...(status === 'CANCELLED' && { cancelledAt: now }),
            ...(flightTime && { [flightTime]: reportedAt !== undefined && reportedAt < now ? reportedAt : now }),
          },
          // The mark is of the last change only: what others change must reach the platform.
          remove: changedBy === PLATFORM ? [] : ['changedBy'],
          add: { version: 1 },
          condition: conditions.join(' AND '),
          values: {
            caller,
            latestCreation: reportedAt === undefined ? undefined : later(reportedAt, MAX_BEFORE_CREATION_MS),
            ...version?.values,
            ...before?.values,
          },
        }),
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    const after = jobFromItem(Attributes);
    if (!after) throw new Error('an update of a job returned no job');
    return { written: after.job };
  } catch (error) {
    return { found: jobFromItem(itemThatRefused(error).found) };
  }
}

/** Result when nothing was written: the job as it is, or the refusal is thrown. */
function resultWithoutWrite(found: StoredJob | undefined, changeId: string, guard: JobGuard): Job {
  // The SDK retried a write whose response was lost; the first attempt had succeeded.
  if (found?.changeId === changeId) return found.job;
  if (!found) throw new Refusal('job_not_found');
  const refusal = whyChangeRefused(found, guard);
  if (refusal) throw refusal;
  return found.job;
}

/**
 * Changes a job by one conditional write whose condition is generated from the lifecycle: without a read before it there is
 * no race. Setting only the status that the job already has is no change.
 * @returns the job after the change
 * @throws Refusal `job_not_found`, `forbidden`, `stale_version`, or `invalid_request` for a transition that is not allowed, or
 *   that is for the platform to report
 */
export async function changeJob(
  caller: Organisation,
  jobId: string,
  change: JobChange,
  options: ChangeOptions,
): Promise<Job> {
  const { status } = change;
  const { ifVersions, cause, changedBy } = options;
  const guard = { caller, status, ifVersions, cause, changedBy };
  const statusOnly = changesNothing(change, status);
  const before = status && statusesBefore(status);
  if (statusOnly && !before?.length) return resultWithoutWrite(await readJob(jobId), options.changeId, guard);
  // Together with other changes the current status is allowed too; alone it must not count as a change.
  const from = status && before && (statusOnly ? before : [...before, status]);
  const outcome = await write(caller, jobId, change, from, options);
  return 'written' in outcome ? outcome.written : resultWithoutWrite(outcome.found, options.changeId, guard);
}

/**
 * Cancels a job by one conditional write.
 * @returns the cancelled job
 * @throws Refusal `job_not_found`, `forbidden`, or `cannot_cancel` when it is not PENDING or QUEUED
 */
export async function storeCancellation(caller: Organisation, jobId: string, options: ChangeOptions): Promise<Job> {
  const outcome = await write(caller, jobId, { status: 'CANCELLED' }, statusesBefore('CANCELLED'), options);
  if ('written' in outcome) return outcome.written;
  const { found } = outcome;
  if (found?.changeId === options.changeId) return found.job;
  if (!found) throw new Refusal('job_not_found');
  throw whyJobRefused(found, { caller }) ?? cannotCancel(found.job.status);
}
