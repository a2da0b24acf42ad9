import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { copyFileSync, cpSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { follow, waitUntil, type ReceivedMessage } from './support/channel-listeners';
import { median, percentile, type Measured, type Measurement } from './support/figure';
import { startLocalStack, type LocalStack } from './support/local-stack';
import { onboardClients, type ChannelClient } from './support/many-clients';
import { wayTo } from '../domain/jobs/job-lifecycle';
import { scopes } from '../contract/terms/scopes';
import { newId } from '../data/store/new-id';
import { logEvents } from '../lambdas/events/log-events';
import { readFeed } from '../lambdas/events/read-feed';
import { jobRecord } from '../test/data/fixtures/stream-record';
import { acme, sampleJob } from '../test/domain/fixtures/samples';
import { recordCalls } from './support/recorded-calls';
import { useStorage } from './support/storage';
import { bundle } from '../lib/functions/bundle';
import { serviceApp, serviceStack } from './support/service-app';
import type { Appended, Appending } from './support/appender';

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
      'Query, TransactWriteItems',
    ),
    compared(`calls of the log for a batch of ${BATCH} changes`, next, 'TransactWriteItems'),
    compared('calls of the log for a change on its own', single, 'PutItem'),
    compared('calls for a page of the feed', page, 'Query'),
  ];
}

const entry = 'fan-out-without-log';

interface Template {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Metadata?: Record<string, string> }>>;
}

/**
 * Synthesises the service twice: as it is, and with a fan-out that writes no event log.
 * @param folder of both cloud assemblies
 * @returns their folders
 */
function synthesiseWithoutLog(folder: string): { readonly withLog: string; readonly withoutLog: string } {
  const [withLog, withoutLog] = [join(folder, 'with-log'), join(folder, 'without-log')];
  const app = serviceApp(withLog);
  const stack = serviceStack(app);
  app.synth();
  cpSync(withLog, withoutLog, { recursive: true });
  const template = JSON.parse(readFileSync(join(withLog, stack.templateFile), 'utf8')) as Template;
  const fanOut = Object.values(template.Resources).find(
    ({ Type, Metadata }) => Type === 'AWS::Lambda::Function' && Metadata?.['aws:cdk:path']?.includes('/StatusFanOut/'),
  );
  const asset = fanOut?.Metadata?.['aws:asset:path'];
  if (asset === undefined) throw new Error('the stack has no fan-out of status');
  bundle([entry], folder, 'bench/support');
  copyFileSync(join(folder, entry, 'index.js'), join(withoutLog, asset, 'index.js'));
  return { withLog, withoutLog };
}

/** Three streams feed the log of an organisation: those of jobs, shares and the fleet. */
const STREAMS = 3;
/** Events of a second that one organisation must be able to have. */
const MIN_PER_SECOND = 50;
/** Write units a second of a partition (DynamoDB developer guide, "Best practices for designing and using partition keys effectively"). */
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

/** How many events a second of one organisation the log takes, on this machine and by DynamoDB's limit of a partition. @param folder of the bundled instance */
async function logCeiling(folder: string): Promise<Measured[]> {
  await useStorage();
  process.env['EVENT_RETENTION_DAYS'] = '7';
  process.env['FLIGHT_RETENTION_DAYS'] = '90';
  bundle(['appender'], folder, 'bench/support');
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

const root = join(__dirname, '..');
/** In the project, since the bundles leave some modules to the runtime. */
const assemblies = join(root, 'cdk.out', 'event-log');

/** Jobs of each stack, with three changes each. */
const JOBS = 30;
const WARM_UP_JOBS = 10;
const CLIENTS = 4;
const MAX_RATIO = 1.3;
/** Calls that wait for a change. */
const WAITING = 60;
const MAX_WAITING_MS = 400;
const statuses = wayTo('COMPLETED');

interface Setup {
  readonly stack: LocalStack;
  readonly clients: readonly ChannelClient[];
}

const ms = (value: number) => `${value.toFixed(0)} ms`;

const clientOf = ({ clients }: Setup, round: number): ChannelClient => {
  const client = clients[round % clients.length];
  if (!client) throw new Error('no client was onboarded');
  return client;
};

const newJob = ({ api, deviceGroupId }: ChannelClient) => api.jobs.create({ name: 'Survey', deviceGroupId });

/** Times from sending the changes of a new job to receiving their messages over WSS. */
async function timesOfJob(setup: Setup, round: number): Promise<number[]> {
  const client = clientOf(setup, round);
  const { jobId } = await newJob(client);
  const socket = await follow(setup.stack.facts, client, { kind: 'job', id: jobId });
  const times: number[] = [];
  for (const status of statuses) {
    const isChange = ({ jobState, snapshot }: ReceivedMessage) => jobState === status && !snapshot;
    const begin = performance.now();
    await client.api.jobs.update(jobId, { status });
    await waitUntil(() => socket.received.some(isChange));
    times.push((socket.received.find(isChange)?.at ?? NaN) - begin);
  }
  socket.close();
  return times;
}

/** Jobs of a stack with the log and of one without take turns. */
async function latency(withLog: Setup, withoutLog: Setup): Promise<Measured[]> {
  const times = { own: [] as number[], bare: [] as number[] };
  for (let round = -WARM_UP_JOBS; round < JOBS; round++) {
    const [own, bare] = [
      await timesOfJob(withLog, round + WARM_UP_JOBS),
      await timesOfJob(withoutLog, round + WARM_UP_JOBS),
    ];
    if (round < 0) continue;
    times.own.push(...own);
    times.bare.push(...bare);
  }
  const [own, bare] = [median(times.own), median(times.bare)];
  const [own95, bare95] = [percentile(times.own, 95), percentile(times.bare, 95)];
  return [
    {
      figure: 'change → message over WSS with the event log',
      measured: `median ${ms(own)}, ${(own / bare).toFixed(2)} x without (${ms(bare)}); p95 ${ms(own95)}, without ${ms(bare95)}`,
      mustBe: `median at most ${MAX_RATIO} x without`,
      ok: own / bare <= MAX_RATIO,
    },
  ];
}

/** Time from sending a change to the answer of a call that waits for it. */
async function waiting(setup: Setup): Promise<Measured[]> {
  const read = async ({ token }: ChannelClient, query: string) => {
    const response = await fetch(`${setup.stack.facts.baseUrl}/v3/events?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (!response.ok) throw new Error(`GET /v3/events answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as { readonly count: number; readonly cursor: string };
  };
  const times: number[] = [];
  for (let round = 0; round < WAITING; round++) {
    const client = clientOf(setup, round);
    const { jobId } = await newJob(client);
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

/** The event log: its share of the way of a change, its calls, and how many events an organisation may have. */
export const eventLog: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'event-log-'));
  const stacks: LocalStack[] = [];
  const setUp = async (name: string, app: string): Promise<Setup> => {
    const stack = await startLocalStack(root, join(folder, name), ['--memory', '--app', app]);
    stacks.push(stack);
    return { stack, clients: await onboardClients(stack.dataFolder, stack.facts.baseUrl, CLIENTS) };
  };
  try {
    const apps = synthesiseWithoutLog(assemblies);
    const withLog = await setUp('data', apps.withLog);
    const withoutLog = await setUp('data-without-log', apps.withoutLog);
    const measured = [...(await latency(withLog, withoutLog)), ...(await waiting(withLog))];
    await Promise.all(stacks.splice(0).map((stack) => stack.stop()));
    return [...measured, ...(await logCalls()), ...(await logCeiling(folder))];
  } finally {
    await Promise.all(stacks.map((stack) => stack.stop()));
    for (const each of [folder, assemblies]) await rm(each, { recursive: true, force: true });
  }
};
