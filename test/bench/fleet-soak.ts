import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  follow,
  followGroups,
  subscribeToJobs,
  waitUntil,
  type Listener,
  type ReceivedMessage,
  type ReceivedSample,
} from './support/followers';
import { median, percentile, type Measured, type Measurement } from './support/figure';
import { startLocalStack, type LocalStack } from './support/local-stack';
import { onboardClients, type ChannelClient } from './support/many-clients';
import { processorSeconds, residentMegabytes } from './support/process-usage';
import { isFinal, jobStatuses, pathTo } from '../../domain/jobs/job-lifecycle';
import type { StackFacts } from '../../bin/start/stack-facts';

/** 200 devices, 30 of them in flight. */
const GROUPS = 10;
const DEVICES_PER_GROUP = 20;
const FLIGHTS_PER_GROUP = 3;
/** Interval of take-offs, in ms, so that flights begin and end one after the other. */
const TAKE_OFF_EVERY_MS = 2400;
/** Until all of them fly and all functions are warm, in s. */
const WARM_UP_S = 80;
/** Duration of the soak, in s. */
const DURATION_S = Number(process.env['SOAK_SECONDS'] ?? 300);
/** Interval of timed changes, in ms. */
const PROBE_EVERY_MS = 2000;

const ms = (value: number) => `${value.toFixed(0)} ms`;
const inTime = (times: readonly number[]) => median(times) < 150 && percentile(times, 95) < 400;
const mustBeInTime = 'median under 150 ms, p95 under 400 ms';
const timed = (times: readonly number[]) =>
  `median ${ms(median(times))}, p95 ${ms(percentile(times, 95))} of ${times.length}`;

/** Times changes of a scheduled job, which no fleet takes: from the call to the channel's message, in ms. */
async function probe({ facts }: LocalStack, client: ChannelClient, times: number[]): Promise<void> {
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
  const body = { name: 'Probe', deviceGroupId: client.deviceGroupId, scheduledAt };
  const job = await client.api.jobs.create(body);
  const listener = await follow(facts, client, { kind: 'job', id: job.jobId });
  for (const status of pathTo('COMPLETED')) {
    const begin = performance.now();
    const received = () => listener.received.find(({ jobState, snapshot }) => jobState === status && !snapshot);
    await Promise.all([client.api.jobs.update(job.jobId, { status }), waitUntil(() => received() !== undefined)]);
    times.push((received()?.at ?? NaN) - begin);
    await pause(PROBE_EVERY_MS);
  }
  listener.close();
}

/** Results within the time of the soak. */
interface SoakResult {
  readonly samples: readonly ReceivedSample[];
  readonly changes: readonly number[];
  readonly jobs: readonly FlownJob[];
  /** In megabytes, once a second. */
  readonly memory: readonly number[];
  /** Average number of processors that the stack used. */
  readonly processors: number;
}

async function soak(stack: LocalStack, clients: readonly [ChannelClient, ...ChannelClient[]]): Promise<SoakResult> {
  const [client] = clients;
  const samples: ReceivedSample[] = [];
  const jobs: FlownJob[] = [];
  const changes: number[] = [];
  const memory: number[] = [];
  const end = await followGroups(stack.facts, client, (sample) => samples.push(sample));
  const stopping = new AbortController();
  const flights = client.deviceGroups.flatMap(({ deviceGroupId }, group) =>
    Array.from({ length: FLIGHTS_PER_GROUP }, async (_, flight) => {
      const place = group * FLIGHTS_PER_GROUP + flight;
      const pilot = clients[place % clients.length] ?? client;
      await pause(place * TAKE_OFF_EVERY_MS);
      return keepFlying(stack.facts, pilot, deviceGroupId, place % 2 ? 'WSS' : 'MQTTS', jobs, stopping.signal);
    }),
  );
  const watch = async (): Promise<SoakResult> => {
    await pause(WARM_UP_S * 1000);
    const [begin, used] = [Date.now(), processorSeconds(stack.pid)];
    const over = begin + DURATION_S * 1000;
    const watching = setInterval(() => memory.push(residentMegabytes(stack.pid)), 1000);
    while (Date.now() < over) await probe(stack, clients.at(-1) ?? client, changes);
    clearInterval(watching);
    const processors = ((processorSeconds(stack.pid) - used) * 1000) / (Date.now() - begin);
    stopping.abort();
    const within = samples.filter(({ takenAt }) => takenAt >= begin && takenAt < over);
    return { samples: within, changes, jobs, memory, processors };
  };
  const [soaked] = await Promise.all([watch(), ...flights]);
  end();
  return soaked;
}

/** The lowest fraction of the soak's seconds in which a device was received. */
function lowestCoverage(samples: readonly ReceivedSample[], devices: number): number {
  const seconds = new Map<string, Set<number>>();
  for (const { deviceId, takenAt } of samples) {
    const received = seconds.get(deviceId) ?? new Set();
    seconds.set(deviceId, received.add(Math.floor(takenAt / 1000)));
  }
  return seconds.size < devices ? 0 : Math.min(...[...seconds.values()].map(({ size }) => size)) / DURATION_S;
}

function rows({ samples, changes, jobs, memory, processors }: SoakResult): Measured[] {
  const devices = GROUPS * DEVICES_PER_GROUP;
  const least = lowestCoverage(samples, devices);
  const lags = samples.map(({ lagMs }) => lagMs);
  const outOfOrder = jobs.filter((job) => !isInOrder(job));
  for (const job of outOfOrder) console.error(`Out of order: ${formatMessages(job)}`);
  const over = jobs.filter(({ isCompleted }) => isCompleted).length;
  const half = Math.floor(memory.length / 2);
  const [before, after] = [median(memory.slice(0, half)), median(memory.slice(half))];
  return [
    {
      figure: `${devices} devices at 1 Hz, ${GROUPS * FLIGHTS_PER_GROUP} of them in flight, ${DURATION_S} s`,
      measured: `each received in at least ${(least * 100).toFixed(1)} % of all seconds`,
      mustBe: 'at least 95 %',
      ok: least >= 0.95,
    },
    {
      figure: 'sample taken → follower of its group, over the bus',
      measured: timed(lags),
      mustBe: mustBeInTime,
      ok: inTime(lags),
    },
    {
      figure: 'change → message over WSS meanwhile',
      measured: timed(changes),
      mustBe: mustBeInTime,
      ok: inTime(changes),
    },
    {
      figure: 'channels of the jobs that were flown',
      measured: `${jobs.length - outOfOrder.length} of ${jobs.length} whole and in order, ${over} flown to the end`,
      mustBe: 'all in order',
      ok: outOfOrder.length === 0 && (over > 0 || DURATION_S < 90),
    },
    {
      figure: 'memory of the stack meanwhile',
      measured: `${before.toFixed(0)} MB in the first half, ${after.toFixed(0)} MB in the second`,
      // The engine keeps its data in memory here.
      mustBe: 'flat: at most 1.1 x',
      ok: after <= before * 1.1,
    },
    {
      figure: 'processors that the stack uses meanwhile',
      measured: processors.toFixed(2),
      mustBe: 'under 2',
      ok: processors < 2,
    },
  ];
}

/** A simulated fleet for SOAK_SECONDS (300), with all devices followed and reporting, idle ones too. */
export const fleetSoak: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fleet-soak-'));
  const stack = await startLocalStack(join(__dirname, '../..'), folder, ['--memory', '--fleet-rest', '1']);
  try {
    const [first, ...others] = await onboardClients(folder, stack.facts.baseUrl, 4, DEVICES_PER_GROUP, GROUPS);
    if (!first) throw new Error('no client was onboarded');
    return rows(await soak(stack, [first, ...others]));
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};

/** A job and the messages of its channel. */
interface FlownJob {
  readonly transport: 'WSS' | 'MQTTS';
  readonly listener: Listener;
  /** Whether it was flown to completion. */
  isCompleted: boolean;
}

const order: readonly string[] = ['PENDING', ...pathTo('COMPLETED')];
const finals: readonly string[] = jobStatuses.filter(isFinal);
const statesOf = (received: readonly ReceivedMessage[]) => [...new Set(received.map(({ jobState }) => jobState ?? ''))];

/** Whether the states came in lifecycle order without gaps, from the first one received. */
function isInOrder({ listener, isCompleted }: FlownJob): boolean {
  const { received } = listener;
  const states = statesOf(received);
  const from = order.indexOf(states[0] ?? '');
  const isWhole = from >= 0 && states.join() === order.slice(from, from + states.length).join();
  const rises = received.every(({ sequence }, index) => sequence >= (received[index - 1]?.sequence ?? 0));
  return isWhole && rises && (!isCompleted || states.at(-1) === 'COMPLETED');
}

/** A job's messages as `state/sequence`, without repeats, to print what is wrong. */
const formatMessages = ({ transport, listener: { received } }: FlownJob) => {
  const words = received.map(({ jobState, sequence }) => `${jobState}/${sequence}`);
  return `${transport} ${words.filter((word, index) => word !== words[index - 1]).join(' ')}`;
};

/** Creates one job after the other, each when the previous one has completed, until the signal aborts. Appends them to `jobs`. */
async function keepFlying(
  facts: StackFacts,
  client: ChannelClient,
  deviceGroupId: string,
  transport: FlownJob['transport'],
  jobs: FlownJob[],
  signal: AbortSignal,
): Promise<void> {
  // A function, since TypeScript assumes that the property does not change.
  const isAborted = () => signal.aborted;
  while (!isAborted()) {
    const body = { name: 'Survey', deviceGroupId };
    const job = await client.api.jobs.create(body);
    const channel = { kind: 'job', id: job.jobId } as const;
    const listener =
      transport === 'WSS' ? await follow(facts, client, channel) : await subscribeToJobs(facts, client, [job.jobId]);
    const flown: FlownJob = { transport, listener, isCompleted: false };
    jobs.push(flown);
    const last = () => listener.received.at(-1)?.jobState;
    while (!finals.includes(last() ?? '') && !isAborted()) await pause(50);
    flown.isCompleted = last() === 'COMPLETED';
    listener.close();
  }
}
