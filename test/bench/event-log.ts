import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { median, percentile, type Measured, type Measurement } from './support/figure';
import { startLocalStack, type LocalStack } from './support/local-stack';
import { onboardClients, type ChannelClient } from './support/many-clients';
import { scopes } from '../../contract/terms/scopes';
import { newId } from '../../data/store/new-id';
import { logEvents } from '../../lambdas/events/log-events';
import { readFeed } from '../../lambdas/events/read-feed';
import { jobRecord } from '../data/fixtures/stream-record';
import { acme, sampleJob } from '../domain/fixtures/samples';
import { recordCalls } from './support/recorded-calls';
import { useStorage } from './support/storage';
import { bundle } from '../../lib/functions/bundle';
import type { Appended, Appending } from './support/appender';

const root = join(__dirname, '../..');

const CLIENTS = 4;
/** Calls that wait for a change. */
const WAITING = 60;
const MAX_WAITING_MS = 400;

const ms = (value: number) => `${value.toFixed(0)} ms`;

/** Time from sending a change to the answer of a call that waits for it. */
async function waiting({ dataFolder, facts: { baseUrl } }: LocalStack): Promise<Measured[]> {
  const clients = await onboardClients(dataFolder, baseUrl, CLIENTS);
  const read = async ({ token }: ChannelClient, query: string) => {
    const response = await fetch(`${baseUrl}/v3/events?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (!response.ok) throw new Error(`GET /v3/events answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as { readonly count: number; readonly cursor: string };
  };
  const times: number[] = [];
  for (let round = 0; round < WAITING; round++) {
    const client = clients[round % clients.length];
    if (!client) throw new Error('no client was onboarded');
    const { jobId } = await client.api.jobs.create({ name: 'Survey', deviceGroupId: client.deviceGroupId });
    // The creation is an event too: until it has passed.
    await pause(300);
    const { cursor } = await read(client, '');
    const answer = read(client, `after=${cursor}&wait=20`).then(({ count }) => ({ count, at: performance.now() }));
    // Anywhere between two looks at the log.
    await pause(100 + Math.random() * 300);
    const begin = performance.now();
    await client.api.jobs.update(jobId, { status: 'QUEUED' });
    const { count, at } = await answer;
    if (count !== 1) throw new Error(`the waiting call answered with ${count} events`);
    times.push(at - begin);
  }
  const p95 = percentile(times, 95);
  return [
    {
      figure: 'change → answer of a waiting GET /v3/events',
      measured: `median ${ms(median(times))}, p95 ${ms(p95)}, at most ${ms(Math.max(...times))} of ${WAITING}`,
      mustBe: `p95 under ${MAX_WAITING_MS} ms`,
      ok: p95 < MAX_WAITING_MS,
    },
  ];
}

/** The event log: how soon a call that waits has a change, its calls, and how many events an organisation may have. */
export const eventLog: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'event-log-'));
  try {
    const stack = await startLocalStack(root, join(folder, 'data'), ['--memory']);
    const measured: Measured[] = [];
    try {
      measured.push(...(await waiting(stack)));
    } finally {
      await stack.stop();
    }
    return [...measured, ...(await logCalls()), ...(await logCeiling(folder))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Changes of a batch. */
const BATCH = 10;

const namesOf = async (run: () => Promise<unknown>) =>
  (await recordCalls(run)).map(({ command }) => command.replace(/Command$/, '')).join(', ');

const compared = (figure: string, measured: string, mustBe: string): Measured => ({
  figure,
  measured,
  mustBe,
  ok: measured === mustBe,
});

/** Appends a batch of changes of an organisation, as the fan-out does. */
async function logBatch(size: number): Promise<void> {
  const records = Array.from({ length: size }, (_, index) =>
    jobRecord(undefined, sampleJob({ jobId: newId('job', acme) }), index),
  );
  const { eventsOf } = logEvents(records);
  await Promise.all(records.map(eventsOf));
}

/** The DynamoDB calls of the log. */
async function logCalls(): Promise<Measured[]> {
  await useStorage();
  process.env['EVENT_RETENTION_DAYS'] = '7';
  process.env['FLIGHT_RETENTION_DAYS'] = '90';
  // The first batch of an instance reads how far the log is.
  const first = await namesOf(() => logBatch(BATCH));
  const next = await namesOf(() => logBatch(BATCH));
  const single = await namesOf(() => logBatch(1));
  const page = await namesOf(() => readFeed({ organisation: acme, scopes, limit: 50 }, 0, new Date()));
  return [
    compared(
      `calls of the log for a batch of ${BATCH} changes, the first of an instance`,
      first,
      'Query, TransactWrite',
    ),
    compared(`calls of the log for a batch of ${BATCH} changes`, next, 'TransactWrite'),
    compared('calls of the log for a change on its own', single, 'Put'),
    compared('calls for a page of the feed', page, 'Query'),
  ];
}

/** Three streams feed the log of an organisation: those of jobs, shares and the fleet. */
const STREAMS = 3;
/** Events of a second that one organisation must be able to have. */
const MIN_PER_SECOND = 50;
/**
 * Write units a second of a partition (DynamoDB developer guide, "Best practices for designing and using partition keys
 * effectively").
 */
const PARTITION_UNITS = 1000;
/** Write units of an event in the partition of its log: a batch is a transaction, which is charged twice. */
const unitsOf = (size: number) => (size === 1 ? 1 : 2);

/** How many batches of how many events each instance appends. */
const cases = [
  { instances: 1, batches: 300, size: 1 },
  { instances: STREAMS, batches: 100, size: 1 },
  { instances: 1, batches: 20, size: 99 },
  { instances: STREAMS, batches: 10, size: 99 },
] as const;

/** Runs an instance of the fan-out that appends to the log. */
async function runAppender(file: string, workerData: Appending): Promise<Appended> {
  const [appended] = (await once(new Worker(file, { workerData }), 'message')) as [Appended];
  return appended;
}

/**
 * How many events a second of one organisation the log takes, on this machine and by DynamoDB's limit of a partition.
 * @param folder of the bundled instance
 */
async function logCeiling(folder: string): Promise<Measured[]> {
  await useStorage();
  process.env['EVENT_RETENTION_DAYS'] = '7';
  process.env['FLIGHT_RETENTION_DAYS'] = '90';
  bundle(['appender'], folder, 'test/bench/support');
  const file = join(folder, 'appender', 'index.js');
  const measured: Measured[] = [];
  for (const [index, { instances, batches, size }] of cases.entries()) {
    const appending = { organisation: `ceiling${index}`, batches, size };
    const ran = await Promise.all(Array.from({ length: instances }, () => runAppender(file, appending)));
    const seconds = (Math.max(...ran.map(({ end }) => end)) - Math.min(...ran.map(({ begin }) => begin))) / 1000;
    const perSecond = (instances * batches * size) / seconds;
    const allowed = PARTITION_UNITS / unitsOf(size);
    measured.push({
      figure: `events of one organisation, batches of ${size}, ${instances} at once`,
      measured: `${perSecond.toFixed(0)} a second on this machine; ${allowed} by the partition of its log`,
      mustBe: `at least ${MIN_PER_SECOND} a second`,
      ok: Math.min(perSecond, allowed) >= MIN_PER_SECOND,
    });
  }
  return measured;
}
