import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { follow, until } from './channel-listeners';
import { median, percentile, type Measured, type Measurement } from './figure';
import { followGroups, type HeardSample } from './fleet-followers';
import { heardOf, isInOrder, keepFlying, type FlownJob } from './flown-jobs';
import { startLocalStack, type LocalStack } from './local-stack';
import { onboardClients, type ChannelClient } from './many-clients';
import { processorSeconds } from './processor-time';
import { residentMegabytes } from './resident-memory';

/** 200 devices, 30 of them in flight. */
const GROUPS = 10;
const DEVICES_OF_GROUP = 20;
const FLIGHTS_OF_GROUP = 3;
/** Between two take-offs, in ms: all flights begin, and later end, one after the other. */
const TAKE_OFF_EVERY = 2400;
/** Until all of them fly and all functions are warm, in s. */
const WARM_UP = 80;
/** Of the soak, in s. */
const SECONDS = Number(process.env['SOAK_SECONDS'] ?? 300);
/** Between two changes that are timed, in ms. */
const PROBE_EVERY = 2000;

const ms = (value: number) => `${value.toFixed(0)} ms`;
const inTime = (times: readonly number[]) => median(times) < 150 && percentile(times, 95) < 400;
const mustBeInTime = 'median under 150 ms, p95 under 400 ms';
const timed = (times: readonly number[]) =>
  `median ${ms(median(times))}, p95 ${ms(percentile(times, 95))} of ${times.length}`;

/** Changes of a job that waits for its hour, so that nobody flies it: from the call until the channel says so, in ms. */
async function probe({ facts }: LocalStack, client: ChannelClient, times: number[]): Promise<void> {
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
  const body = { name: 'Probe', deviceGroupId: client.deviceGroupId, scheduledAt };
  const { job } = (await client.call('POST /v3/jobs/create', {}, body)) as { job: { jobId: string } };
  const listener = await follow(facts, client, { kind: 'job', id: job.jobId });
  for (const status of ['QUEUED', 'IN_PROGRESS', 'COMPLETED']) {
    const begin = performance.now();
    const heard = () => listener.heard.find(({ jobState, snapshot }) => jobState === status && !snapshot);
    await Promise.all([
      client.call('PATCH /v3/jobs/{jobId}', { jobId: job.jobId }, { status }),
      until(() => heard() !== undefined),
    ]);
    times.push((heard()?.at ?? NaN) - begin);
    await pause(PROBE_EVERY);
  }
  listener.close();
}

/** What happened within the time of the soak. */
interface Soaked {
  readonly samples: readonly HeardSample[];
  readonly changes: readonly number[];
  readonly jobs: readonly FlownJob[];
  /** In megabytes, second by second. */
  readonly memory: readonly number[];
  /** Processors that the stack has used. */
  readonly processors: number;
}

async function soak(stack: LocalStack, clients: readonly [ChannelClient, ...ChannelClient[]]): Promise<Soaked> {
  const [client] = clients;
  const samples: HeardSample[] = [];
  const jobs: FlownJob[] = [];
  const changes: number[] = [];
  const memory: number[] = [];
  const end = await followGroups(stack.facts, client, (sample) => samples.push(sample));
  const stopping = new AbortController();
  const flights = client.deviceGroups.flatMap(({ deviceGroupId }, group) =>
    Array.from({ length: FLIGHTS_OF_GROUP }, async (_, flight) => {
      const place = group * FLIGHTS_OF_GROUP + flight;
      const pilot = clients[place % clients.length] ?? client;
      await pause(place * TAKE_OFF_EVERY);
      return keepFlying(stack.facts, pilot, deviceGroupId, place % 2 ? 'WSS' : 'MQTTS', jobs, stopping.signal);
    }),
  );
  const watch = async (): Promise<Soaked> => {
    await pause(WARM_UP * 1000);
    const [begin, used] = [Date.now(), processorSeconds(stack.pid)];
    const over = begin + SECONDS * 1000;
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

/** Of the seconds of the soak, the part in which the device that was heard least was heard. */
function leastHeard(samples: readonly HeardSample[], devices: number): number {
  const seconds = new Map<string, Set<number>>();
  for (const { deviceId, takenAt } of samples) {
    const heard = seconds.get(deviceId) ?? new Set();
    seconds.set(deviceId, heard.add(Math.floor(takenAt / 1000)));
  }
  return seconds.size < devices ? 0 : Math.min(...[...seconds.values()].map(({ size }) => size)) / SECONDS;
}

function rows({ samples, changes, jobs, memory, processors }: Soaked): Measured[] {
  const devices = GROUPS * DEVICES_OF_GROUP;
  const least = leastHeard(samples, devices);
  const lags = samples.map(({ lag }) => lag);
  const odd = jobs.filter((job) => !isInOrder(job));
  for (const job of odd) console.error(`Out of order: ${heardOf(job)}`);
  const over = jobs.filter(({ isOver }) => isOver).length;
  const half = Math.floor(memory.length / 2);
  const [before, after] = [median(memory.slice(0, half)), median(memory.slice(half))];
  return [
    {
      figure: `${devices} devices at 1 Hz, ${GROUPS * FLIGHTS_OF_GROUP} of them in flight, ${SECONDS} s`,
      measured: `each heard in at least ${(least * 100).toFixed(1)} % of all seconds`,
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
      measured: `${jobs.length - odd.length} of ${jobs.length} whole and in order, ${over} flown to the end`,
      mustBe: 'all in order',
      ok: odd.length === 0 && (over > 0 || SECONDS < 90),
    },
    {
      figure: 'memory of the stack meanwhile',
      measured: `${before.toFixed(0)} MB in the first half, ${after.toFixed(0)} MB in the second`,
      // The engine keeps what was written in memory here.
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

/** A simulated fleet for SOAK_SECONDS (300), every device of which is followed, at rest too. */
export const fleetSoak: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fleet-soak-'));
  const stack = await startLocalStack(join(__dirname, '..'), folder, ['--memory', '--fleet-rest', '1']);
  try {
    const [first, ...others] = await onboardClients(folder, stack.facts.baseUrl, 4, DEVICES_OF_GROUP, GROUPS);
    if (!first) throw new Error('nobody was onboarded');
    return rows(await soak(stack, [first, ...others]));
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};
