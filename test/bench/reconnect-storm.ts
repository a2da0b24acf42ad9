import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createSecureContext, type ConnectionOptions } from 'node:tls';
import type { AwsAccess, CallCounts } from 'cloud-assembly-runner';
import { connect, type IClientOptions } from 'mqtt';
import { WebSocket } from 'ws';
import { channels, type Channel } from '../../contract/channels/status-channels';
import { topicName } from '../../contract/terms/channel-addresses';
import { percentile, type Measured, type Measurement } from './support/figure';
import { startLocalStack, type LocalStack } from './support/local-stack';
import { onboardClients, type ChannelClient } from './support/many-clients';

/** Connections of each kind, and the time within which all begin. */
const CONNECTIONS = 1000;
const SPREAD_MS = 10_000;
/** 40 connections each: a client may have 50 sockets and 100 subscriptions, and 120 handshakes a minute. */
const CLIENTS = 25;
/** At first they connect at leisure. */
const FIRST_SPREAD_MS = 40_000;
/** Of one attempt. A follower that is refused or gets no answer tries again after a random delay, as the guide says. */
const ATTEMPT_TIMEOUT_MS = 20_000;
const MAX_DELAY_MS = 5000;
/** From when a follower was due to its first message. */
const TIMEOUT_MS = 60_000;
const MAX_P95_MS = 10_000;
/** Lifecycle events and calls for ended sockets follow on their own: until no call is made for this time. */
const QUIET_MS = 3000;

interface Follower {
  readonly client: ChannelClient;
  readonly job: Channel;
  /** Distinguishes it from the others of the client. */
  readonly name: string;
}

/** A connection that has begun. */
interface Attempt {
  /** Resolves with the first message; rejects when the connection is refused or ends before. */
  readonly message: Promise<unknown>;
  readonly cut: () => void;
}

type Way = (follower: Follower) => Attempt;

function overSockets({ facts }: LocalStack): Way {
  return ({ client: { token }, job: { kind, id } }) => {
    const headers = { authorization: `Bearer ${token}` };
    const socket = new WebSocket((facts.wsUrl ?? '') + channels[kind].path.replace('{id}', id), { headers });
    const message = new Promise((resolve, reject) => {
      socket.once('message', resolve).once('error', reject);
      socket.once('close', (code) => reject(new Error(`closed with ${code}`)));
    });
    return { message, cut: () => socket.terminate() };
  };
}

async function overMqtt({ facts }: LocalStack): Promise<Way> {
  const secureContext = createSecureContext({ ca: await readFile(facts.caFile) });
  return ({ client: { clientId, token }, job, name }) => {
    const options: IClientOptions & Pick<ConnectionOptions, 'secureContext'> = {
      username: clientId,
      password: token,
      clientId: `${clientId}-${name}`,
      secureContext,
      protocolVersion: 4,
      reconnectPeriod: 0,
      connectTimeout: ATTEMPT_TIMEOUT_MS,
    };
    const listener = connect(facts.mqttUrl ?? '', options);
    const message = new Promise((resolve, reject) => {
      listener.once('message', resolve).once('error', reject);
      listener.once('connect', () => void listener.subscribeAsync(topicName(job), { qos: 1 }).catch(reject));
      listener.once('close', () => reject(new Error('closed')));
    });
    return { message, cut: () => listener.end(true) };
  };
}

/** Resolves with a function that cuts the follower off when it has received a message. @throws Error when it can't follow */
async function follow(way: Way, follower: Follower): Promise<() => void> {
  const { message, cut } = way(follower);
  const timer = new AbortController();
  const late = pause(ATTEMPT_TIMEOUT_MS, undefined, timer).then(() => {
    throw new Error('no message');
  });
  try {
    await Promise.race([message, late]);
    return cut;
  } catch (error) {
    cut();
    throw error;
  } finally {
    late.catch(() => undefined);
    timer.abort();
  }
}

interface Outcome {
  /** Until the first message, in ms. */
  readonly times: number[];
  /** Failed attempts by message. */
  readonly refusals: Map<string, number>;
  readonly cutOff: () => void;
}

/** Lets all followers begin within a time, whether or not earlier ones are done. */
async function storm(followers: readonly Follower[], way: Way, spreadMs: number): Promise<Outcome> {
  const outcome = { times: [] as number[], refusals: new Map<string, number>() };
  const cuts: (() => void)[] = [];
  const begin = performance.now();
  const all = followers.map(async (follower, index) => {
    const due = begin + (index * spreadMs) / followers.length;
    await pause(due - performance.now());
    while (performance.now() < due + TIMEOUT_MS) {
      try {
        cuts.push(await follow(way, follower));
        outcome.times.push(performance.now() - due);
        return;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        outcome.refusals.set(message, (outcome.refusals.get(message) ?? 0) + 1);
        await pause(Math.random() * MAX_DELAY_MS);
      }
    }
  });
  await Promise.all(all);
  return { ...outcome, cutOff: () => cuts.forEach((cut) => cut()) };
}

/** AWS calls of functions so far, by the beginning of the function's name. */
async function callsOf({ endpointUrl, accessKeyId }: AwsAccess, prefixes: readonly string[]): Promise<number[]> {
  const response = await fetch(`${endpointUrl}/_calls`, { headers: { authorization: `Bearer ${accessKeyId}` } });
  const counts = Object.entries((await response.json()) as CallCounts);
  return prefixes.map((prefix) =>
    counts
      .filter(([name]) => name.startsWith(prefix))
      .flatMap(([, byService]) => Object.values(byService))
      .reduce((sum, count) => sum + count, 0),
  );
}

/** The same when functions have ended their work. */
async function settledCalls(access: AwsAccess, prefixes: readonly string[]): Promise<number[]> {
  for (let calls = await callsOf(access, prefixes); ;) {
    await pause(QUIET_MS);
    const later = await callsOf(access, prefixes);
    if (later.join() === calls.join()) return later;
    calls = later;
  }
}

/** All follow, are cut off at the same moment, and reconnect: this is measured. */
async function reconnect(
  stack: LocalStack,
  followers: readonly Follower[],
  title: string,
  way: Way,
  functions: string[],
) {
  const first = await storm(followers, way, FIRST_SPREAD_MS);
  const before = await settledCalls(stack.access, functions);
  first.cutOff();
  const { times, refusals, cutOff } = await storm(followers, way, SPREAD_MS);
  const after = await settledCalls(stack.access, functions);
  cutOff();
  const [half = 0, most = 0, worst = 0] = [50, 95, 100].map((percent) => percentile(times, percent));
  const refused = [...refusals].map(([message, count]) => `${count} × ${message}`).join(', ');
  const without = followers.length - times.length;
  const calls = functions.map((name, index) => {
    const each = ((after[index] ?? 0) - (before[index] ?? 0)) / followers.length;
    return `${name.replace(/^Realtime(Mqtt|WebSocket|Snapshots)/, '')} ${each.toFixed(1)}`;
  });
  const figure = `${followers.length} ${title} reconnect within ${SPREAD_MS / 1000} s`;
  return [
    {
      figure: `${figure}: without a message after ${TIMEOUT_MS / 1000} s`,
      measured: `${without} (refused attempts: ${refused || 'none'})`,
      mustBe: '0',
      ok: without === 0,
    },
    {
      figure: `${figure}: until the first message`,
      measured: `p95 ${most.toFixed(0)} ms (median ${half.toFixed(0)}, worst ${worst.toFixed(0)})`,
      mustBe: `p95 under ${MAX_P95_MS} ms`,
      ok: most < MAX_P95_MS,
    },
    { figure: `${figure}: AWS calls for each`, measured: calls.join(', '), mustBe: '-', ok: true },
  ] satisfies Measured[];
}

/** What happens after an outage: all followers come back at once. */
export const reconnectStorm: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reconnect-storm-'));
  const stack = await startLocalStack(join(__dirname, '../..'), folder, ['--memory', '--instances', '40']);
  try {
    const clients = await onboardClients(folder, stack.facts.baseUrl, CLIENTS);
    const jobs = await Promise.all(
      clients.map(({ api, deviceGroupId }) => api.jobs.create({ name: 'Survey', deviceGroupId })),
    );
    const followers = Array.from({ length: CONNECTIONS }, (_, index): Follower[] => {
      const [client, job] = [clients[index % CLIENTS], jobs[index % CLIENTS]];
      return client && job ? [{ client, job: { kind: 'job', id: job.jobId }, name: String(index) }] : [];
    }).flat();
    const mqtt = await overMqtt(stack);
    const ofMqtt = ['RealtimeMqttAuthorizeConnection', 'RealtimeMqttCountSubscriptions'];
    return [
      ...(await reconnect(stack, followers, 'MQTT clients', mqtt, ofMqtt)),
      ...(await reconnect(stack, followers, 'sockets', overSockets(stack), [
        'RealtimeWebSocketConnect',
        'RealtimeSnapshot',
      ])),
    ];
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};
