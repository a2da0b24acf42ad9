import { BatchGetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Organisation } from '../../domain/values/id';
import type { Job } from '../../domain/jobs/job';
import { openStatuses } from '../../domain/jobs/job-lifecycle';
import { dynamodb, table } from '../store/dynamodb';
import { jobFromItem, jobKey, statusKey } from './jobs';

/** Maximum of keys of BatchGetItem (DynamoDB API reference). */
const MAX_KEYS = 100;

/** The jobs of an organisation whose status is not final, a hundred at a time; without those of the last moment. */
export async function* readOpenJobs(organisation: Organisation): AsyncGenerator<Job[]> {
  for (const status of openStatuses)
    for await (const { Items = [] } of paginateQuery(
      { client: dynamodb },
      {
        TableName: table('jobs'),
        IndexName: 'by-status',
        KeyConditionExpression: 'organisationStatus = :key',
        ProjectionExpression: 'jobId',
        ExpressionAttributeValues: { ':key': statusKey(organisation, status) },
        Limit: MAX_KEYS,
      },
    ))
      yield await readJobs(Items.map((item) => key.parse(item).jobId));
}

const key = z.object({ jobId: z.string() });

/** Those of the jobs that exist. @throws Error when DynamoDB leaves out a key each time */
async function readJobs(jobIds: readonly string[], attempts = 3): Promise<Job[]> {
  if (jobIds.length === 0) return [];
  const name = table('jobs');
  const { Responses, UnprocessedKeys } = await dynamodb.send(
    new BatchGetCommand({ RequestItems: { [name]: { Keys: jobIds.map(jobKey), ConsistentRead: true } } }),
  );
  const found = (Responses?.[name] ?? []).flatMap((item) => jobFromItem(item)?.job ?? []);
  const leftOut = (UnprocessedKeys?.[name]?.Keys ?? []).map((item) => key.parse(item).jobId);
  if (leftOut.length > 0 && attempts === 1) throw new Error('the batch read of the jobs table left out keys');
  return [...found, ...(await readJobs(leftOut, attempts - 1))];
}
