import { paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Organisation } from '../../domain/values/id';
import { flownStatuses, isFinal, openStatuses, type JobStatus } from '../../domain/jobs/job-lifecycle';
import { jobStatus } from '../../domain/jobs/job';
import { dynamodb, table } from '../store/dynamodb';
import { parseItems, readNewIndex } from '../store/query';
import { firstIdAt } from '../store/new-id';
import { statusKey } from './jobs';

/** How far an index may lag behind its table, in ms: usually less than a second. */
const INDEX_LAG_MS = 60_000;

const naming = z.object({ jobId: z.string(), deviceId: z.string(), status: z.unknown() });
type NamingJob = z.output<typeof naming>;
const entry = z.pick(naming, { jobId: true, deviceId: true });

/** A status that nobody can read may be that of an open job. */
export const mayBeOpen = (status: unknown): boolean => {
  const known = jobStatus.safeParse(status);
  return !known.success || !isFinal(known.data);
};

/**
 * The devices that an open job of an organisation names. The index knows the jobs of a minute ago and before, the table
 * the newest, of which it has the last word. The statuses are read in the order of the lifecycle: a job that moves on
 * meanwhile is found in the next one.
 * @param now ISO 8601
 */
export async function readBusyDevices(organisation: Organisation, now: string): Promise<ReadonlySet<string>> {
  const byId = new Map<string, NamingJob>();
  for (const status of openStatuses)
    for await (const job of readWithStatus(organisation, status)) byId.set(job.jobId, job);
  const since = new Date(Date.parse(now) - INDEX_LAG_MS).toISOString();
  const newest = readFiltered({
    ConsistentRead: true,
    KeyConditionExpression: 'organisation = :organisation AND jobId >= :first',
    ExpressionAttributeValues: { ':organisation': organisation, ':first': firstIdAt('job', organisation, since) },
  });
  for await (const items of newest)
    for (const job of parseItems(items, (item) => naming.parse(item))) byId.set(job.jobId, job);
  return new Set([...byId.values()].filter(({ status }) => mayBeOpen(status)).map(({ deviceId }) => deviceId));
}

/**
 * The jobs that are flown and name a device, by the index. They are as many as the drones that the organisation has in
 * the air.
 */
export async function readFlownJobs(organisation: Organisation, deviceId: string): Promise<FlownJob[]> {
  const found: FlownJob[] = [];
  for (const status of flownStatuses)
    for await (const job of readWithStatus(organisation, status, deviceId)) found.push({ ...job, status });
  return found;
}

/** A job in flight, with the device that it names. */
export type FlownJob = Pick<NamingJob, 'jobId' | 'deviceId'> & { readonly status: JobStatus };

/** The jobs of a status that name a device, or this one, by the index that has no others. */
async function* readWithStatus(
  organisation: Organisation,
  status: JobStatus,
  deviceId?: string,
): AsyncGenerator<NamingJob> {
  const key = statusKey(organisation, status);
  const query = {
    TableName: table('jobs'),
    IndexName: 'with-device',
    KeyConditionExpression: `organisationStatus = :key${deviceId === undefined ? '' : ' AND deviceId = :deviceId'}`,
    ExpressionAttributeValues: { ':key': key, ...(deviceId !== undefined && { ':deviceId': deviceId }) },
  };
  for await (const items of readNewIndex(query, () => readFiltered(byStatus(key))))
    for (const job of parseItems(items, (item) => entry.parse(item)))
      if (deviceId === undefined || job.deviceId === deviceId) yield { ...job, status };
}

const byStatus = (key: string): Reading => ({
  IndexName: 'by-status',
  KeyConditionExpression: 'organisationStatus = :key',
  ExpressionAttributeValues: { ':key': key },
});

type Reading = Omit<QueryCommandInput, 'TableName'>;

/** The jobs that name a device among those that a query reads. */
async function* readFiltered(query: Reading): AsyncGenerator<Record<string, unknown>[]> {
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
  for await (const { Items = [] } of pages) yield Items;
}
