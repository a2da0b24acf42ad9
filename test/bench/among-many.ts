import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { jobToItem, readJobPage } from '../../data/jobs/jobs';
import { firstIdAt, newId } from '../../data/store/new-id';
import { dynamodb, table } from '../../data/store/dynamodb';
import { jobStatuses, type JobStatus } from '../../domain/jobs/job-lifecycle';
import { acme, id, rival, sampleCommand, sampleJob } from '../domain/fixtures/samples';
import type { Measured, Measurement } from './support/figure';
import { meterConsumption } from './support/recorded-calls';
import { useStorage } from './support/storage';
import { commandToItem, readOpenCommands } from '../../data/commands/commands';
import { readBusyDevices } from '../../data/jobs/busy-devices';

const few = { organisation: 'few00000', jobs: 100 };
const many = { organisation: 'many0000', jobs: 100_000 };
/** Most items of a BatchWriteItem (DynamoDB API reference). */
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

const FEW_JOBS = 10;
const JOBS = 10_000;
const COMMANDS = 9000;
const MAX_MORE_UNITS = 20;
const MAX_UNITS = 200;
const MAX_MS = 1000;

const now = new Date();
const idOf = (kind: 'job' | 'command', organisation: string, secondsAgo: number, number: number) => {
  const at = new Date(now.getTime() - secondsAgo * 1000).toISOString();
  return `${firstIdAt(kind, organisation, at)}${String(number).padStart(16, '0')}`;
};

/**
 * What it costs to find the open jobs that name a device among all, and the open commands of a device among those that
 * have ended.
 */
export const openItems: Measurement = async () => {
  await useStorage();
  for (const [organisation, count] of [
    [acme, FEW_JOBS],
    [rival, JOBS],
  ] as const)
    await putAll('jobs', count, (number) => {
      const jobId = idOf('job', organisation, 3600, number);
      return jobToItem(organisation, sampleJob({ jobId, status: 'QUEUED', deviceId: undefined }));
    });
  const parameters = { note: 'x'.repeat(8000) };
  await putAll('commands', COMMANDS, (number) => {
    const commandId = idOf('command', acme, 600, number);
    return commandToItem(sampleCommand({ commandId, sequence: number, status: 'DONE', parameters }), undefined);
  });
  // What a batch consumes it does not count.
  const meter = meterConsumption();
  return [await ofJobs(meter), ...(await ofCommands(meter))];
};

type Meter = ReturnType<typeof meterConsumption>;

async function ofJobs(meter: Meter): Promise<Measured> {
  const unitsOf = async (organisation: string) => {
    await readBusyDevices(organisation, now.toISOString());
    return meter.read().units;
  };
  const few = await unitsOf(acme);
  const many = await unitsOf(rival);
  const more = many - few;
  return {
    figure: `read units of a dispatch among ${JOBS} open jobs more than among ${FEW_JOBS}`,
    measured: more.toFixed(1),
    mustBe: `at most ${MAX_MORE_UNITS}`,
    ok: more <= MAX_MORE_UNITS,
  };
}

async function ofCommands(meter: Meter): Promise<Measured[]> {
  const begin = performance.now();
  await readOpenCommands(id('device'), now);
  const time = performance.now() - begin;
  const { units } = meter.read();
  const what = `the open commands of a device after ${COMMANDS} of 8 kB`;
  return [
    {
      figure: `${what}: read units`,
      measured: units.toFixed(1),
      mustBe: `at most ${MAX_UNITS}`,
      ok: units <= MAX_UNITS,
    },
    { figure: `${what}: time`, measured: `${time.toFixed(0)} ms`, mustBe: `at most ${MAX_MS} ms`, ok: time <= MAX_MS },
  ];
}

async function putAll(name: 'jobs' | 'commands', count: number, item: (number: number) => object): Promise<void> {
  for (let first = 0; first < count; first += BATCH_ITEMS) {
    const numbers = Array.from({ length: Math.min(BATCH_ITEMS, count - first) }, (_, index) => first + index);
    const puts = numbers.map((number) => ({ PutRequest: { Item: { ...item(number) } } }));
    await dynamodb.send(new BatchWriteCommand({ RequestItems: { [table(name)]: puts } }));
  }
}
