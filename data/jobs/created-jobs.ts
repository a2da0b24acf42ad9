import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Organisation } from '../../domain/values/id';
import { jobRecord } from '../../domain/jobs/job';
import { dynamodb, table } from '../store/dynamodb';
import { firstIdAt } from '../store/new-id';
import { parseItems } from '../store/query';

const created = z.extend(z.pick(jobRecord, { jobId: true, name: true, status: true, createdAt: true }), {
  createdBy: z.optional(z.string()),
});

/** A job with the client that created it, if that was noted. */
export type CreatedJob = z.output<typeof created>;

/**
 * The jobs of an organisation that were created since a time and exist, newest first.
 * @param since ISO 8601
 */
export async function* jobsCreatedSince(organisation: Organisation, since: string): AsyncGenerator<CreatedJob[]> {
  const pages = paginateQuery(
    { client: dynamodb },
    {
      TableName: table('jobs'),
      ConsistentRead: true,
      KeyConditionExpression: 'organisation = :organisation AND jobId >= :first',
      ProjectionExpression: 'jobId, #name, #status, createdAt, createdBy',
      ExpressionAttributeNames: { '#name': 'name', '#status': 'status' },
      ExpressionAttributeValues: { ':organisation': organisation, ':first': firstIdAt('job', organisation, since) },
      ScanIndexForward: false,
    },
  );
  // An identifier may be of the time of one that was made just before it.
  for await (const { Items = [] } of pages)
    yield parseItems(Items, (item) => created.parse(item)).filter(({ createdAt }) => createdAt >= since);
}
