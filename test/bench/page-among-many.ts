import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { jobToItem } from '../../data/jobs/job-item';
import { readJobPage } from '../../data/jobs/jobs';
import { newId } from '../../data/store/new-id';
import { table } from '../../data/store/dynamodb';
import { jobStatuses, type JobStatus } from '../../domain/jobs/job-lifecycle';
import { id, sampleJob } from '../domain/fixtures/samples';
import type { Measurement } from './support/figure';
import { meterConsumption } from './support/recorded-calls';
import { useStorage } from './support/storage';

const few = { organisation: 'few00000', jobs: 100 };
const many = { organisation: 'many0000', jobs: 100_000 };
const BATCH_ITEMS = 25;
const CONCURRENT_BATCHES = 8;
/** Small enough for two full pages of one status among the few jobs. */
const PAGE_LIMIT = 5;

/**
 * Lists the first two pages of an organisation's jobs, of all statuses and of one, among 100 and among 100,000 jobs, and
 * counts DynamoDB calls and consumed capacity.
 */
export const pageAmongMany: Measurement = async () => {
  await useStorage();
  for (const { organisation, jobs } of [few, many]) await insertJobs(organisation, jobs);
  const meter = meterConsumption();
  const costOf = async (organisation: string, status: JobStatus | undefined) => {
    const { nextToken } = await readJobPage(organisation, { limit: PAGE_LIMIT, status });
    if (nextToken === undefined) throw new Error('there is no second page');
    const { jobs } = await readJobPage(organisation, { limit: PAGE_LIMIT, status, nextToken });
    if (jobs.length !== PAGE_LIMIT) throw new Error('the second page is not full');
    const { calls, units } = meter.read();
    return `${calls} calls, ${units} units`;
  };
  const measured = [];
  for (const status of [undefined, 'PENDING'] as const) {
    const among = { few: await costOf(few.organisation, status), many: await costOf(many.organisation, status) };
    measured.push({
      figure: `two pages among ${many.jobs} jobs${status ? ' by status' : ''}`,
      measured: among.many,
      mustBe: `${among.few}, as among ${few.jobs}`,
      ok: among.many === among.few,
    });
  }
  return measured;
};

/** Inserts jobs of all statuses, without the service's rate limits. */
async function insertJobs(organisation: string, count: number): Promise<void> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const TableName = table('jobs');
  let next = 0;
  const insertBatches = async () => {
    while (next < count) {
      const numbers = Array.from({ length: Math.min(BATCH_ITEMS, count - next) }, () => next++);
      const items = numbers.map((number) => {
        const status = jobStatuses[number % jobStatuses.length] ?? 'PENDING';
        const job = sampleJob({ jobId: newId('job', organisation), deviceGroupId: id('group', organisation), status });
        return { PutRequest: { Item: jobToItem(organisation, job) } };
      });
      const { UnprocessedItems } = await client.send(new BatchWriteCommand({ RequestItems: { [TableName]: items } }));
      if (UnprocessedItems?.[TableName]) throw new Error('the engine did not take every job');
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_BATCHES }, insertBatches));
  client.destroy();
}
