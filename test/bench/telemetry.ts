import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { CallCounts } from 'cloud-assembly-runner';
import { WebSocket } from 'ws';
import { median, percentile, type Measured, type Measurement } from './support/figure';
import { startLocalStack, type LocalStack } from './support/local-stack';
import { onboardClients, type ChannelClient } from './support/many-clients';
import { residentMegabytes } from './support/process-usage';
import { TELEMETRY_PATH } from '../../contract/websocket-actions';
import type { StackFacts } from '../../bin/start/stack-facts';

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

/** Interval of a device's samples, in ms: 10 Hz. */
const SAMPLE_PERIOD_MS = 100;
/** When every instance knows of a device's first follower, in ms; what was sent before may be in the follower's snapshot only. */
const NOTICED_AFTER_MS = 1000;
/** How long to wait for the last samples, in ms. */
const WAIT_TIMEOUT_MS = 10_000;

/** A received sample. */
interface ReceivedSample {
  readonly sequence: number;
  /** From sending to receiving, in ms. */
  readonly latencyMs: number;
}

/** A subscriber of one device and its live samples. */
export interface Follower {
  readonly deviceId: string;
  readonly received: ReceivedSample[];
}

/** Devices that report ten times a second, each over its own socket, and their followers. */
export interface Flight {
  readonly followers: readonly Follower[];
  /** Lets all devices report for this long and waits for their samples. @returns the sequences sent, by device */
  fly(seconds: number): Promise<ReadonlyMap<string, readonly number[]>>;
  /** Error answers to publishers. */
  readonly errors: readonly string[];
  close(): void;
}

interface Answer {
  readonly type: string;
  /** Samples that were not accepted. */
  readonly refused?: readonly unknown[];
}

interface Message {
  readonly type: string;
  readonly sequence: number;
  readonly snapshot?: true;
}

async function open({ wsUrl }: StackFacts, { token }: ChannelClient): Promise<WebSocket> {
  const socket = new WebSocket((wsUrl ?? '') + TELEMETRY_PATH, { headers: { authorization: `Bearer ${token}` } });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return socket;
}

/** A sample of a drone in flight. */
const sample = (deviceId: string, at: number) => ({
  deviceId,
  timestamp: new Date(at).toISOString(),
  droneState: 'WAYPOINT',
  dockState: 'OPEN',
  navigation: {
    position: { type: 'Point', coordinates: [-122.4194, 37.7749, 85.5] },
    orientation: { heading: 270.5, pitch: -2.1, roll: 0.3 },
    velocity: { groundSpeed: 12.5, verticalSpeed: -0.5 },
  },
  battery: { percent: 81, voltage: 47.1, remainingFlightTime: 1260 },
});

/**
 * Opens the sockets: a publisher per device, and followers distributed over the devices.
 * @param clients take turns, since each may have 50 sockets
 */
async function prepareFlight(
  facts: StackFacts,
  clients: readonly ChannelClient[],
  deviceIds: readonly string[],
  followerCount: number,
): Promise<Flight> {
  const sockets: WebSocket[] = [];
  const openNext = async () => {
    const client = clients[sockets.length % clients.length];
    if (!client) throw new Error('there is no client');
    const socket = await open(facts, client);
    sockets.push(socket);
    return socket;
  };
  const sentAt = new Map<string, number>();
  const errors: string[] = [];
  const publishers = new Map<string, WebSocket>();
  for (const deviceId of deviceIds) {
    const socket = await openNext();
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      const { type, refused } = JSON.parse(text) as Answer;
      if (type === 'error' || refused) errors.push(text);
    });
    publishers.set(deviceId, socket);
  }
  const followers: Follower[] = [];
  for (let index = 0; index < followerCount; index++) {
    const deviceId = deviceIds[index % deviceIds.length] ?? '';
    const received: ReceivedSample[] = [];
    const socket = await openNext();
    const subscribed = new Promise<void>((resolve) => {
      socket.on('message', (data: Buffer) => {
        const { type, sequence, snapshot } = JSON.parse(data.toString()) as Message;
        if (type === 'subscribed') resolve();
        if (type !== 'device.telemetry' || snapshot) return;
        const begin = sentAt.get(`${deviceId} ${sequence}`);
        // Samples of an earlier flight may arrive late.
        if (begin !== undefined) received.push({ sequence, latencyMs: performance.now() - begin });
      });
    });
    socket.send(JSON.stringify({ action: 'subscribe', deviceId }));
    await subscribed;
    followers.push({ deviceId, received });
  }
  await pause(NOTICED_AFTER_MS);

  /** Publishes a device's samples, with its own offset within the period, so that devices do not report at once. */
  async function report(deviceId: string, socket: WebSocket, delay: number, count: number): Promise<number[]> {
    const begin = performance.now() + delay;
    const sequences: number[] = [];
    for (let index = 0; index < count; index++) {
      await pause(Math.max(0, begin + index * SAMPLE_PERIOD_MS - performance.now()));
      const at = Math.max(Date.now(), (sequences.at(-1) ?? 0) + 1);
      sequences.push(at);
      sentAt.set(`${deviceId} ${at}`, performance.now());
      socket.send(JSON.stringify({ action: 'publish', telemetry: sample(deviceId, at) }));
    }
    return sequences;
  }

  return {
    followers,
    errors,
    async fly(seconds) {
      sentAt.clear();
      for (const { received } of followers) received.length = 0;
      const spread = SAMPLE_PERIOD_MS / publishers.size;
      const flown = await Promise.all(
        [...publishers].map(async ([deviceId, socket], index) => {
          const sequences = await report(deviceId, socket, index * spread, (seconds * 1000) / SAMPLE_PERIOD_MS);
          return [deviceId, sequences] as const;
        }),
      );
      const sequences = new Map(flown);
      const deadline = performance.now() + WAIT_TIMEOUT_MS;
      const misses = ({ deviceId, received }: Follower) => received.length < (sequences.get(deviceId)?.length ?? 0);
      while (followers.some(misses) && performance.now() < deadline) await pause(20);
      return sequences;
    },
    close: () => sockets.forEach((socket) => socket.terminate()),
  };
}
