import { paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Organisation } from '../../domain/id';
import { hasBegun, isFinal, jobStatuses, type JobStatus } from '../../domain/job-lifecycle';
import { jobStatus } from '../../domain/job';
import { dynamodb, table } from '../store/dynamodb';
import { parseItems } from '../store/parse-items';
import { firstIdAt } from '../store/new-id';
import { statusKey } from './job-item';

/** How far an index may lag behind its table, in ms: usually less than a second. */
const INDEX_LAG_MS = 60_000;

const naming = z.object({ jobId: z.string(), deviceId: z.string(), status: z.unknown() });
type NamingJob = z.output<typeof naming>;

/** A status that nobody can read may be that of an open job. */
export const mayBeOpen = (status: unknown): boolean => {
  const known = jobStatus.safeParse(status);
  return !known.success || !isFinal(known.data);
};

/** The devices that an open job of an organisation names. @param now ISO 8601 */
export async function readBusyDevices(organisation: Organisation, now: string): Promise<ReadonlySet<string>> {
  const busy = new Set<string>();
  const open = jobStatuses.filter((each) => !isFinal(each));
  for await (const { deviceId, status } of readNaming(organisation, open, now))
    if (mayBeOpen(status)) busy.add(deviceId);
  return busy;
}

/**
 * A job that a device may be flying, by what the platform said of the job: one that names it and is queued or flown.
 * @param now ISO 8601
 */
export async function findBegunJob(
  organisation: Organisation,
  deviceId: string,
  now: string,
): Promise<{ readonly jobId: string; readonly deviceId: string; readonly status: JobStatus } | undefined> {
  const begun = jobStatuses.filter(hasBegun);
  for await (const job of readNaming(organisation, begun, now)) {
    const status = begun.find((each) => each === job.status);
    if (job.deviceId === deviceId && status) return { ...job, status };
  }
  return undefined;
}

/**
 * The jobs of an organisation that name a device, in some statuses; the newest ones in any. The index knows the jobs of a minute ago and before,
 * the table the newest. The statuses are read in the order of the lifecycle: a job that moves on meanwhile is found in the next one.
 */
async function* readNaming(
  organisation: Organisation,
  statuses: readonly JobStatus[],
  now: string,
): AsyncGenerator<NamingJob> {
  const since = new Date(Date.parse(now) - INDEX_LAG_MS).toISOString();
  for (const status of statuses)
    yield* readAll({
      IndexName: 'by-status',
      KeyConditionExpression: 'organisationStatus = :key',
      ExpressionAttributeValues: { ':key': statusKey(organisation, status) },
    });
  yield* readAll({
    ConsistentRead: true,
    KeyConditionExpression: 'organisation = :organisation AND jobId >= :first',
    ExpressionAttributeValues: { ':organisation': organisation, ':first': firstIdAt('job', organisation, since) },
  });
}

async function* readAll(query: Omit<QueryCommandInput, 'TableName'>): AsyncGenerator<NamingJob> {
  const pages = paginateQuery(
    { client: dynamodb },
    {
      ...query,
      TableName: table('jobs'),
      FilterExpression: 'attribute_exists(deviceId)',
      ProjectionExpression: 'jobId, deviceId, #status',
      ExpressionAttributeNames: { '#status': 'status' },
    },
  );
  for await (const { Items = [] } of pages) yield* parseItems(Items, (item) => naming.parse(item));
}
