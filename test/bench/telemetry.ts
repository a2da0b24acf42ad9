import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { CallCounts } from 'cloud-assembly-runner';
import { median, percentile, type Measured, type Measurement } from './support/figure';
import { startLocalStack, type LocalStack } from './support/local-stack';
import { onboardClients, type ChannelClient } from './support/many-clients';
import { residentMegabytes } from './support/resident-memory';
import { prepareFlight, type Flight } from './support/telemetry-flight';

const WARM_UP_S = 10;
const ms = (value: number) => `${value.toFixed(1)} ms`;
const timesOf = ({ followers }: Flight) =>
  followers.flatMap(({ received }) => received.map(({ latencyMs }) => latencyMs));

interface Setup {
  readonly stack: LocalStack;
  readonly clients: readonly ChannelClient[];
  readonly deviceIds: readonly string[];
}

/** Functions that write device states: at once, or a second later. */
const writers = /^Realtime(ActionsPublish|TelemetryCheckDevices)Function/;

/** DynamoDB writes of device states so far. @throws Error when the stack does not have both functions */
async function writesOf({ access }: LocalStack): Promise<number> {
  const headers = { authorization: `Bearer ${access.accessKeyId}` };
  const counts = (await (await fetch(`${access.endpointUrl}/_calls`, { headers })).json()) as CallCounts;
  const found = Object.keys(counts).filter((caller) => writers.test(caller));
  if (found.length !== 2) throw new Error(`device states are written by ${found.join(', ') || 'no function'}`);
  return found.reduce((sum, caller) => sum + (counts[caller]?.['dynamodb:UpdateItem'] ?? 0), 0);
}

/** 10 devices x 10 Hz with one follower each, with warm functions. */
async function latency({ stack, clients, deviceIds }: Setup): Promise<Measured[]> {
  const flight = await prepareFlight(stack.facts, clients, deviceIds.slice(0, 10), 10);
  await flight.fly(WARM_UP_S);
  const before = await writesOf(stack);
  await flight.fly(20);
  const perDevice = ((await writesOf(stack)) - before) / (10 * 20);
  const taken = timesOf(flight);
  flight.close();
  return [
    {
      figure: `sample → follower, 10 devices x 10 Hz, warm, ${taken.length} samples`,
      measured: `median ${ms(median(taken))}, p95 ${ms(percentile(taken, 95))}`,
      mustBe: 'median under 30 ms, p95 under 100 ms',
      ok: median(taken) < 30 && percentile(taken, 95) < 100,
    },
    {
      figure: 'DynamoDB writes of a publisher for a device that reports at 10 Hz',
      measured: `${perDevice.toFixed(2)} a second`,
      // The state; the track is written by the function that publishes the change.
      mustBe: 'at most 1.05 a second',
      ok: perDevice <= 1.05,
    },
  ];
}

/** Number of followers that received exactly their device's samples, in order. */
function completeFollowers({ followers }: Flight, sent: ReadonlyMap<string, readonly number[]>): number {
  const heardAll = followers.filter(
    ({ deviceId, received }) => received.map(({ sequence }) => sequence).join() === sent.get(deviceId)?.join(),
  );
  return heardAll.length;
}

/** 20 devices x 10 Hz with 50 followers in all, for a minute. */
async function manyFollowers({ stack, clients, deviceIds }: Setup): Promise<Measured[]> {
  const flight = await prepareFlight(stack.facts, clients, deviceIds, 50);
  await flight.fly(WARM_UP_S);
  const before = residentMegabytes(stack.pid);
  let most = before;
  const watching = setInterval(() => (most = Math.max(most, residentMegabytes(stack.pid))), 1000);
  const sent = await flight.fly(60);
  clearInterval(watching);
  const received = timesOf(flight);
  const expected = flight.followers.reduce((sum, { deviceId }) => sum + (sent.get(deviceId)?.length ?? 0), 0);
  const inOrder = completeFollowers(flight, sent);
  flight.close();
  return [
    {
      figure: `${deviceIds.length} devices x 10 Hz, 50 followers, 60 s`,
      measured:
        `${received.length} of ${expected} received, ${inOrder} of 50 followers received all in order, ` +
        `${flight.errors.length} errors; median ${ms(median(received))}, p95 ${ms(percentile(received, 95))}`,
      mustBe: 'nothing lost, nothing out of order',
      ok: received.length === expected && inOrder === 50 && flight.errors.length === 0,
    },
    {
      figure: 'memory of the stack meanwhile',
      measured: `${before.toFixed(0)} MB before, ${most.toFixed(0)} MB at most`,
      mustBe: 'flat: at most 1.1 x',
      ok: most <= before * 1.1,
    },
  ];
}

/** Live telemetry of a local stack, over real sockets, after ten seconds of warm-up. */
export const telemetry: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'telemetry-'));
  const stack = await startLocalStack(join(__dirname, '../..'), folder, ['--memory']);
  try {
    const clients = await onboardClients(folder, stack.facts.baseUrl, 3, 20);
    const setup: Setup = { stack, clients, deviceIds: clients[0]?.deviceIds ?? [] };
    const measured = await latency(setup);
    // Until the seats of the first measurement's sockets are released.
    await pause(1000);
    return [...measured, ...(await manyFollowers(setup))];
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};
