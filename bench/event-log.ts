import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { follow, waitUntil, type ReceivedMessage } from './support/channel-listeners';
import { logCalls } from './support/event-log-calls';
import { logCeiling } from './support/event-log-ceiling';
import { median, percentile, type Measured, type Measurement } from './support/figure';
import { startLocalStack, type LocalStack } from './support/local-stack';
import { onboardClients, type ChannelClient } from './support/many-clients';
import { synthesiseWithoutLog } from './support/stack-without-log';
import { wayTo } from '../domain/jobs/job-lifecycle';

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
