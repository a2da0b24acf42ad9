import * as z from 'zod/mini';
import { flightTimes, type FlightTimes } from '../../domain/telemetry/flight-record';
import { followedUntil, type FollowedUntil } from '../../domain/telemetry/followed-until';
import { organisationOf, type Organisation } from '../../domain/values/id';
import { jobRecord, type Job } from '../../domain/jobs/job';
import type { JobStatus } from '../../domain/jobs/job-lifecycle';
import { Refusal } from '../../domain/values/refusal';
import { PLATFORM } from '../../domain/values/service';
import { metadataText, readMetadata } from '../store/metadata-text';

const item = z.object({
  ...jobRecord.shape,
  metadata: z.pipe(z.transform(readMetadata), jobRecord.shape.metadata),
  desiredLocation: z.pipe(z.transform(readMetadata), jobRecord.shape.desiredLocation),
  organisation: z.string(),
  createdBy: z.optional(z.string()),
  changeId: z.optional(z.string()),
  changedBy: z.optional(z.literal(PLATFORM)),
  reported: z.optional(z.object({ status: jobRecord.shape.status, at: z.string() })),
  ...flightTimes.shape,
  ...followedUntil.shape,
});

/**
 * A job with its organisation, the id of its last change and who made it, whether the platform reports on it, until
 * when its positions are followed, and when it was flown.
 */
export interface StoredJob {
  readonly owner: Organisation;
  /** The client that created it, for operators only: it is not part of the job. Absent: nobody noted it. */
  readonly createdBy: string | undefined;
  readonly changeId: string | undefined;
  /** Absent: a partner. */
  readonly changedBy: typeof PLATFORM | undefined;
  /** Whether the platform has reported on it: from then on it says how far the job is. */
  readonly hasReports: boolean;
  readonly followed: FollowedUntil;
  readonly flightTimes: FlightTimes;
  readonly job: Job;
}

/** Key of the index by status. */
export const statusKey = (organisation: Organisation, status: JobStatus) => `${organisation}#${status}`;

/** Key of a job; its identifier contains the partition key. @throws Refusal `job_not_found` when it is not a job id */
export function jobKey(jobId: string) {
  const organisation = organisationOf('job', jobId);
  if (!organisation) throw new Refusal('job_not_found');
  return { organisation, jobId };
}

export const jobToItem = (organisation: Organisation, newJob: Job) => ({
  ...newJob,
  metadata: metadataText(newJob.metadata),
  // DynamoDB takes no number as near to 0 as a coordinate may be.
  desiredLocation: newJob.desiredLocation && JSON.stringify(newJob.desiredLocation),
  organisation,
  organisationStatus: statusKey(organisation, newJob.status),
});

/** Parses the item of a job. @throws Error for an item that this service never wrote */
export function jobFromItem(found: Record<string, unknown> | undefined): StoredJob | undefined {
  if (!found) return undefined;
  const { organisation, createdBy, changeId, changedBy, reported, ...flown } = item.parse(found);
  const { socketsUntil, topicUntil, startedAt, endedAt, ...rest } = flown;
  const followed = { socketsUntil, topicUntil };
  // A partner may have changed the status since.
  const reportedAt = reported?.status === rest.status ? reported.at : undefined;
  const job = { ...rest, ...(reportedAt !== undefined && { reportedAt }) };
  const flightTimes = { startedAt, endedAt };
  const hasReports = reported !== undefined;
  return { owner: organisation, createdBy, changeId, changedBy, hasReports, followed, flightTimes, job };
}
