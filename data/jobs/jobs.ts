import type { Creator } from '../../domain/values/creator';
import { jobRecord, jobSummary, MAX_SEARCHED, whyJobRefused, type Job, type JobSummary } from '../../domain/jobs/job';
import { pageToken, readPageToken } from '../../domain/values/page-token';
import { DeleteCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { insertOnce, insertTogether, type FirstAnswer } from '../store/first-answers';
import { claimPut } from './device-claims';
import { cutPage, parseItems, withOneMore } from '../store/query';
import { isRepeat, itemThatRefused } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';
import * as z from 'zod/mini';
import { flightTimes, type FlightTimes } from '../../domain/telemetry/flight-record';
import { followedUntil, type FollowedUntil } from '../../domain/telemetry/followed-until';
import { organisationOf, type Organisation } from '../../domain/values/id';
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

/**
 * Stores a new job of the creator's organisation.
 * @param firstAnswer the response to store for the request's idempotency key, if it has one
 * @throws AlreadyAnswered when that key has been used
 */
export const insertJob = ({ organisation, clientId }: Creator, newJob: Job, firstAnswer?: FirstAnswer) =>
  insertOnce(
    { TableName: table('jobs'), Item: { ...jobToItem(organisation, newJob), createdBy: clientId } },
    'jobId',
    firstAnswer,
  );

/**
 * Stores a new job together with the claim of its device.
 * @param outlived the job of an earlier claim that has ended: its claim gives way
 * @returns false when another call has claimed the device
 * @throws AlreadyAnswered when the idempotency key has been used
 */
export const insertDispatchedJob = (
  { organisation, clientId }: Creator,
  newJob: Job & { readonly deviceId: string },
  outlived: string | undefined,
  firstAnswer?: FirstAnswer,
): Promise<boolean> =>
  insertTogether(
    [
      {
        TableName: table('jobs'),
        Item: { ...jobToItem(organisation, newJob), createdBy: clientId },
        ConditionExpression: 'attribute_not_exists(jobId)',
      },
      claimPut(newJob.deviceId, newJob.jobId, newJob.createdAt, outlived),
    ],
    firstAnswer,
  );

/**
 * A job of any organisation as it is stored, or undefined.
 * @param isConsistent `false`: as it was a moment ago, for half the price
 */
export async function readJob(jobId: string, isConsistent = true): Promise<StoredJob | undefined> {
  const key = jobKey(jobId);
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('jobs'), Key: key, ConsistentRead: isConsistent }),
  );
  return jobFromItem(Item);
}

/**
 * A job of the organisation.
 * @throws Refusal `job_not_found`, or `forbidden` when it is another organisation's
 */
export const findJob = async (caller: Organisation, jobId: string): Promise<Job> =>
  (await findStoredJob(caller, jobId)).job;

/** A job of the organisation as it is stored. @throws Refusal as {@link findJob} does */
export async function findStoredJob(caller: Organisation, jobId: string): Promise<StoredJob> {
  const found = await readJob(jobId);
  if (!found) throw new Refusal('job_not_found');
  const refusal = whyJobRefused(found, { caller });
  if (refusal) throw refusal;
  return found;
}

/** A job of the organisation; undefined for no job, and for an identifier that is not one of its jobs. */
export const readOwnJob = async (organisation: Organisation, jobId: string | undefined): Promise<Job | undefined> =>
  jobId !== undefined && organisationOf('job', jobId) === organisation ? (await readJob(jobId))?.job : undefined;

export interface JobPage {
  readonly status?: JobStatus | undefined;
  readonly deviceGroupId?: string | undefined;
  readonly deviceId?: string | undefined;
  readonly limit: number;
  readonly nextToken?: string | undefined;
}

/**
 * A page of the organisation's jobs, newest first, by a single query.
 * @throws Refusal `invalid_request` for a page token of another list
 */
export async function readJobPage(organisation: Organisation, { limit, nextToken, ...filters }: JobPage) {
  const { status, ...searched } = filters;
  const search = Object.entries(searched).filter(([, id]) => id !== undefined);
  const list = ['jobs', organisation, status, ...search.flat()].join(' ');
  const byStatus = status && statusKey(organisation, status);
  const after = nextToken && { organisation, jobId: readPageToken(list, nextToken) };
  const found = await dynamodb.send(
    new QueryCommand({
      TableName: table('jobs'),
      // Only the table supports strongly consistent reads; a global secondary index does not.
      ...(byStatus ? { IndexName: 'by-status' } : { ConsistentRead: true }),
      KeyConditionExpression: `${byStatus ? 'organisationStatus' : 'organisation'} = :key`,
      ...(search.length > 0 && { FilterExpression: search.map(([name]) => `${name} = :${name}`).join(' AND ') }),
      ProjectionExpression: 'jobId, #name, #status, priority, deviceGroupId, deviceId, createdAt',
      ExpressionAttributeNames: { '#name': 'name', '#status': 'status' },
      ExpressionAttributeValues: {
        ':key': byStatus ?? organisation,
        ...Object.fromEntries(search.map(([name, id]) => [`:${name}`, id])),
      },
      ScanIndexForward: false,
      // DynamoDB counts what it reads, before the filter.
      Limit: search.length > 0 ? MAX_SEARCHED : withOneMore(limit),
      ...(after && { ExclusiveStartKey: { ...after, ...(byStatus && { organisationStatus: byStatus }) } }),
    }),
  );
  const page = cutPage(found, limit, 'jobId');
  return {
    jobs: parseItems(page.items, (item): JobSummary => jobSummary.parse(item)),
    nextToken: page.after && pageToken(list, page.after),
  };
}

/**
 * Deletes a job in any status by one conditional write.
 * @throws Refusal `job_not_found`, or `forbidden` when it is another organisation's
 */
export async function removeJob(caller: Organisation, jobId: string): Promise<void> {
  const key = jobKey(jobId);
  try {
    await dynamodb.send(
      new DeleteCommand({
        TableName: table('jobs'),
        Key: key,
        ConditionExpression: 'organisation = :caller',
        ExpressionAttributeValues: { ':caller': caller },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
  } catch (error) {
    const { found } = itemThatRefused(error);
    // The response to the first attempt was lost, and it had deleted the job.
    if (!found && isRepeat(error)) return;
    throw whyJobRefused(jobFromItem(found), { caller }) ?? error;
  }
}
