import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { CallCounts } from '../local/aws-endpoint';
import { median, percentile, type Measured, type Measurement } from './figure';
import { startLocalStack, type LocalStack } from './local-stack';
import { onboardClients, type ChannelClient } from './many-clients';
import { residentMegabytes } from './resident-memory';
import { prepareFlight, type Flight } from './telemetry-flight';

const WARM_UP = 10;
const ms = (value: number) => `${value.toFixed(1)} ms`;
const timesOf = ({ followers }: Flight) => followers.flatMap(({ heard }) => heard.map(({ taken }) => taken));

interface Given {
  readonly stack: LocalStack;
  readonly clients: readonly ChannelClient[];
  readonly deviceIds: readonly string[];
}

/** States that the function of publishing has written so far. */
async function writesOf({ access }: LocalStack): Promise<number> {
  const headers = { authorization: `Bearer ${access.accessKeyId}` };
  const counts = (await (await fetch(`${access.endpointUrl}/_calls`, { headers })).json()) as CallCounts;
  const [, calls = {}] = Object.entries(counts).find(([caller]) => caller.startsWith('Telemetrypublish')) ?? [];
  return calls['dynamodb:UpdateItem'] ?? 0;
}

/** 10 devices x 10 Hz with one follower each, over functions that are warm. */
async function latency({ stack, clients, deviceIds }: Given): Promise<Measured[]> {
  const flight = await prepareFlight(stack.facts, clients, deviceIds.slice(0, 10), 10);
  await flight.fly(WARM_UP);
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
      figure: 'DynamoDB writes of a device that reports at 10 Hz',
      measured: `${perDevice.toFixed(2)} a second`,
      mustBe: 'at most 1 a second',
      ok: perDevice <= 1,
    },
  ];
}

/** Of the followers those that heard just what their device said, and in its order. */
function whole({ followers }: Flight, said: ReadonlyMap<string, readonly number[]>): number {
  const heardAll = followers.filter(
    ({ deviceId, heard }) => heard.map(({ sequence }) => sequence).join() === said.get(deviceId)?.join(),
  );
  return heardAll.length;
}

/** 20 devices x 10 Hz with 50 followers in all, for a minute. */
async function manyFollowers({ stack, clients, deviceIds }: Given): Promise<Measured[]> {
  const flight = await prepareFlight(stack.facts, clients, deviceIds, 50);
  await flight.fly(WARM_UP);
  const before = residentMegabytes(stack.pid);
  let most = before;
  const watching = setInterval(() => (most = Math.max(most, residentMegabytes(stack.pid))), 1000);
  const said = await flight.fly(60);
  clearInterval(watching);
  const heard = timesOf(flight);
  const expected = flight.followers.reduce((sum, { deviceId }) => sum + (said.get(deviceId)?.length ?? 0), 0);
  const inOrder = whole(flight, said);
  flight.close();
  return [
    {
      figure: `${deviceIds.length} devices x 10 Hz, 50 followers, 60 s`,
      measured:
        `${heard.length} of ${expected} heard, ${inOrder} of 50 followers heard all in order, ` +
        `${flight.errors.length} errors; median ${ms(median(heard))}, p95 ${ms(percentile(heard, 95))}`,
      mustBe: 'nothing lost, nothing out of order',
      ok: heard.length === expected && inOrder === 50 && flight.errors.length === 0,
    },
    {
      figure: 'memory of the stack meanwhile',
      measured: `${before.toFixed(0)} MB before, ${most.toFixed(0)} MB at most`,
      mustBe: 'flat: at most 1.1 x',
      ok: most <= before * 1.1,
    },
  ];
}

/** Live telemetry of a local stack, with real sockets, after ten seconds that warm the functions up. */
export const telemetry: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'telemetry-'));
  const stack = await startLocalStack(join(__dirname, '..'), folder, ['--memory']);
  try {
    const clients = await onboardClients(folder, stack.facts.baseUrl, 3, 20);
    const given: Given = { stack, clients, deviceIds: clients[0]?.deviceIds ?? [] };
    const measured = await latency(given);
    // The sockets of the first figure give their places back.
    await pause(1000);
    return [...measured, ...(await manyFollowers(given))];
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};
