import { setTimeout as pause } from 'node:timers/promises';
import { UsageError } from '../../../bin/command-line/errors';
import { follow, subscribeToJobs, type Listener, type ReceivedMessage } from '../support/followers';
import type { ChannelClient } from '../support/many-clients';
import { latencyOf, type Outcome } from './outcome';
import type { Target } from './target';
import { pathTo } from '../../../domain/jobs/job-lifecycle';

/** The changes of each job, in their order. */
const statuses = pathTo('COMPLETED');

/** Jobs and connections of a client: below 60 creations a minute, 50 sockets and 100 subscriptions. */
const MAX_PER_CLIENT = 40;
/** Connections that are made at once. */
const CONNECTING = 10;
/** How long messages may take after the last change, in ms. */
const LAST_MESSAGE_MS = 30_000;

interface Job {
  readonly jobId: string;
  readonly client: ChannelClient;
}

/** A follower of a job. */
interface Follower {
  readonly job: Job;
  readonly listener: Listener;
}

interface Change {
  readonly job: Job;
  readonly status: (typeof statuses)[number];
  /** `performance.now()` */
  readonly due: number;
}

/** What failed, by kind. */
type Errors = Map<string, number>;

const ways = {
  wss: (target: Target, client: ChannelClient, id: string) => follow(target, client, { kind: 'job', id }),
  mqtt: (target: Target, client: ChannelClient, id: string) => subscribeToJobs(target, client, [id]),
};

/**
 * Changes jobs at a steady rate; sockets or MQTT clients follow them.
 * @param rate changes a second
 * @param wanted connections; default: one for each job
 * @throws UsageError when a job would have no follower, or the stack has no such channels
 */
export async function loadChanges(
  way: keyof typeof ways,
  target: Target,
  rate: number,
  seconds: number,
  wanted?: number,
): Promise<Outcome> {
  if ((way === 'wss' ? target.wsUrl : target.mqttUrl) === null) throw new UsageError(`no address for ${way} is known`);
  const jobCount = Math.ceil((rate * seconds) / statuses.length);
  const connections = wanted ?? jobCount;
  if (connections < jobCount) throw new UsageError(`--connections must be at least ${jobCount}, one for each job`);
  const clients = await target.clients(Math.ceil(connections / MAX_PER_CLIENT));
  const jobs = await inTurn(jobCount, clients, newJob);
  const errors: Errors = new Map();
  const followed = await inTurn(connections, clients, async (client, index): Promise<Follower[]> => {
    const job = jobs[index % jobs.length];
    if (!job) return [];
    const listener = ways[way](target, client, job.jobId);
    return listener.then(
      (connected) => [{ job, listener: connected }],
      (error: unknown) => (addError(errors, 'connection', error), []),
    );
  });
  const followers = followed.flat();
  const begin = performance.now();
  const changes = await makeChanges(jobs, rate, rate * seconds, errors);
  const tookSeconds = (performance.now() - begin) / 1000;
  const latencies = await messageLatencies(changes, followers, errors);
  for (const { listener } of followers) listener.close();
  return {
    scenario: way,
    rate: { asked: rate, achieved: changes.length / Math.max(seconds, tookSeconds) },
    latencies: { 'change → message': latencyOf(latencies) },
    expected: connections + rate * seconds + latencies.length + (errors.get(NO_MESSAGE) ?? 0),
    errors,
  };
}

const NO_MESSAGE = 'no message';

function addError(errors: Errors, what: string, error: unknown): void {
  const kind = `${what}: ${error instanceof Error ? error.message : String(error)}`;
  errors.set(kind, (errors.get(kind) ?? 0) + 1);
}

/** Makes something with each client in turn, a few at once. */
async function inTurn<Made>(
  count: number,
  clients: readonly ChannelClient[],
  make: (client: ChannelClient, index: number) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = [];
  while (made.length < count) {
    const next = Array.from({ length: Math.min(CONNECTING, count - made.length) }, (_, place) => made.length + place);
    made.push(
      ...(await Promise.all(
        next.flatMap((index) => {
          const client = clients[index % clients.length];
          return client ? [make(client, index)] : [];
        }),
      )),
    );
  }
  return made;
}

async function newJob(client: ChannelClient): Promise<Job> {
  const { jobId } = await client.api.jobs.create({ name: 'Survey', deviceGroupId: client.deviceGroupId });
  return { jobId, client };
}

/**
 * Makes each change when it is due, whether or not those of other jobs were answered. It waits for the one before of its own job,
 * which might otherwise be overtaken and refuse it.
 * @returns those that succeeded
 */
async function makeChanges(jobs: readonly Job[], rate: number, count: number, errors: Errors): Promise<Change[]> {
  const made: Promise<Change[]>[] = [];
  const latest = new Map<Job, Promise<unknown>>();
  const begin = performance.now();
  for (let index = 0; index < count; index++) {
    const due = begin + (index * 1000) / rate;
    if (due > performance.now()) await pause(due - performance.now());
    const [job, status] = [jobs[index % jobs.length], statuses[Math.floor(index / jobs.length)]];
    if (!job || !status) continue;
    const change = (latest.get(job) ?? Promise.resolve())
      .then(() => job.client.api.jobs.update(job.jobId, { status }))
      .then(
        () => [{ job, status, due }],
        (error: unknown) => (addError(errors, 'change', error), []),
      );
    latest.set(job, change);
    made.push(change);
  }
  return (await Promise.all(made)).flat();
}

/** From when a change was due until each follower of its job had its message, in ms. Waits for the last messages. */
async function messageLatencies(
  changes: readonly Change[],
  followers: readonly Follower[],
  errors: Errors,
): Promise<number[]> {
  const expected = changes.flatMap(({ job, status, due }) =>
    followers.filter((follower) => follower.job === job).map(({ listener }) => ({ listener, status, due })),
  );
  const arrivals = () =>
    expected.map(({ listener, status, due }) => {
      const isChange = ({ jobState, snapshot }: ReceivedMessage) => jobState === status && !snapshot;
      return (listener.received.find(isChange)?.at ?? Infinity) - due;
    });
  const deadline = performance.now() + LAST_MESSAGE_MS;
  while (arrivals().includes(Infinity) && performance.now() < deadline) await pause(50);
  const arrived = arrivals().filter(Number.isFinite);
  if (arrived.length < expected.length) errors.set(NO_MESSAGE, expected.length - arrived.length);
  return arrived;
}
