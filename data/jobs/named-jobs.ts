import type { FollowedUntil } from '../../domain/telemetry/followed-until';
import { organisationOf, type Organisation } from '../../domain/values/id';
import type { NamedJob } from '../../domain/fleet/sample-decision';
import type { Sample } from '../../domain/telemetry/sample';
import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, table } from '../store/dynamodb';
import { jobFromItem } from './jobs';

/** The jobs that samples name, and until when somebody may follow them; by their identifiers. */
export type FollowedJobs = ReadonlyMap<string, NamedJob & { readonly followed: FollowedUntil }>;

/**
 * The organisation's jobs that samples name, by one read; none when they name no job. A moment old at worst, for half
 * the price: whoever reads the record of a flight leaves out what was reported after its end.
 * @param samples at most 100 @throws Error when DynamoDB left out a key
 */
export async function readNamedJobs(organisation: Organisation, samples: readonly Sample[]): Promise<FollowedJobs> {
  const ids = new Set(samples.flatMap(({ jobId }) => jobId ?? []));
  const own = [...ids].filter((jobId) => organisationOf('job', jobId) === organisation);
  if (own.length === 0) return new Map();
  const Keys = own.map((jobId) => ({ organisation, jobId }));
  const { Responses, UnprocessedKeys } = await dynamodb.send(
    new BatchGetCommand({ RequestItems: { [table('jobs')]: { Keys } } }),
  );
  if (UnprocessedKeys?.[table('jobs')]) throw new Error('the batch read of the jobs table left out keys');
  const found = (Responses?.[table('jobs')] ?? []).flatMap((item) => jobFromItem(item) ?? []);
  return new Map(
    found.map(({ job: { jobId, deviceId, status }, flightTimes: times, followed }) => [
      jobId,
      { jobId, deviceId, status, times, followed },
    ]),
  );
}
