import { paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Organisation } from '../../domain/id';
import { isFinal, jobStatuses } from '../../domain/job-lifecycle';
import { jobStatus } from '../../domain/job';
import { dynamodb, table } from '../store/dynamodb';
import { parseItems } from '../store/parse-items';
import { firstIdAt } from '../store/new-id';
import { statusKey } from './job-item';

/** How far an index may lag behind its table, in ms: usually less than a second. */
const INDEX_LAG_MS = 60_000;

const named = z.object({ deviceId: z.string(), status: z.unknown() });

/** A status that nobody can read may be that of an open job. */
const mayBeOpen = (status: unknown): boolean => {
  const known = jobStatus.safeParse(status);
  return !known.success || !isFinal(known.data);
};

/**
 * The devices that an open job of an organisation names. The index knows the jobs of a minute ago and before, the table the newest. The statuses
 * are read in the order of the lifecycle: a job that moves on meanwhile is found in the next one.
 * @param now ISO 8601
 */
export async function readBusyDevices(organisation: Organisation, now: string): Promise<ReadonlySet<string>> {
  const busy = new Set<string>();
  const since = new Date(Date.parse(now) - INDEX_LAG_MS).toISOString();
  for (const status of jobStatuses.filter((each) => !isFinal(each)))
    await addFound(busy, {
      IndexName: 'by-status',
      KeyConditionExpression: 'organisationStatus = :key',
      ExpressionAttributeValues: { ':key': statusKey(organisation, status) },
    });
  await addFound(busy, {
    ConsistentRead: true,
    KeyConditionExpression: 'organisation = :organisation AND jobId >= :first',
    ExpressionAttributeValues: { ':organisation': organisation, ':first': firstIdAt('job', organisation, since) },
  });
  return busy;
}

async function addFound(busy: Set<string>, query: Omit<QueryCommandInput, 'TableName'>): Promise<void> {
  const pages = paginateQuery(
    { client: dynamodb },
    {
      ...query,
      TableName: table('jobs'),
      FilterExpression: 'attribute_exists(deviceId)',
      ProjectionExpression: 'deviceId, #status',
      ExpressionAttributeNames: { '#status': 'status' },
    },
  );
  for await (const { Items = [] } of pages)
    for (const { deviceId, status } of parseItems(Items, (item) => named.parse(item)))
      if (mayBeOpen(status)) busy.add(deviceId);
}
