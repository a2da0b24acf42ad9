import type { FollowedUntil } from '../../domain/telemetry/followed-until';
import { organisationOf, type Organisation } from '../../domain/values/id';
import type { NamedJob } from '../../domain/fleet/sample-decision';
import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, table } from '../store/dynamodb';
import { jobFromItem } from './jobs';

/** A job, and until when somebody may follow it. */
export interface FollowedJob extends NamedJob {
  readonly followed: FollowedUntil;
}

/** The jobs that samples belong to, by their identifiers; undefined: there is none. */
export type FollowedJobs = ReadonlyMap<string, FollowedJob | undefined>;

/**
 * The jobs of the organisation that have these identifiers, by one read; none when no job of it can have one. A moment
 * old at worst, for half the price: whoever reads the record of a flight leaves out what was reported after its end.
 * @param jobIds at most 100 @throws Error when DynamoDB left out a key
 */
export async function readNamedJobs(organisation: Organisation, jobIds: readonly string[]): Promise<FollowedJobs> {
  const own = [...new Set(jobIds)].filter((jobId) => organisationOf('job', jobId) === organisation);
  if (own.length === 0) return new Map();
  const Keys = own.map((jobId) => ({ organisation, jobId }));
  const { Responses, UnprocessedKeys } = await dynamodb.send(
    new BatchGetCommand({ RequestItems: { [table('jobs')]: { Keys } } }),
  );
  if (UnprocessedKeys?.[table('jobs')]) throw new Error('the batch read of the jobs table left out keys');
  const found = (Responses?.[table('jobs')] ?? []).flatMap((item) => jobFromItem(item) ?? []);
  const jobs = found.map(({ job: { jobId, deviceId, status }, flightTimes: times, followed }) => ({
    jobId,
    deviceId,
    status,
    times,
    followed,
  }));
  return new Map(own.map((id) => [id, jobs.find(({ jobId }) => jobId === id)]));
}
