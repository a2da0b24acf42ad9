import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AwsAccess } from 'cloud-assembly-runner';
import * as z from 'zod';
import { platformOf } from './cost/metered-stack';
import { follow, waitUntil, type Listener } from './support/followers';
import { percentile, type Measured, type Measurement } from './support/figure';
import { findBus, startLocalStack, type LocalStack } from './support/local-stack';
import { onboardClients, type ChannelClient } from './support/many-clients';
import { makeQueueOf } from '../channels/platform-bus';

const WARM_UP = 20;
const COMMANDS = 200;
/** Ten commands a second to one device. */
const EVERY_MS = 100;
/**
 * How many sockets follow the device, one stage after the other. What takes longer with more of them is the posting:
 * each command has two messages, so fifty followers take a thousand posts a second, and on this machine the same
 * processors receive what they post.
 */
const STAGES = [0, 1, 50] as const;
const MAX_MS = 100;

/** A device in flight. */
interface Flight {
  readonly client: ChannelClient;
  readonly platform: Awaited<ReturnType<typeof platformOf>>;
  readonly bus: BusListener;
}

async function begin(stack: LocalStack, folder: string): Promise<Flight> {
  const [client] = await onboardClients(folder, stack.facts.baseUrl, 1);
  if (!client) throw new Error('no client was onboarded');
  const platform = await platformOf(stack.access);
  const sample = { deviceId: client.deviceId, timestamp: new Date().toISOString(), droneState: 'WAYPOINT' };
  await platform({ type: 'device.telemetry.reported', detail: { telemetry: [sample] } });
  return { client, platform, bus: await listenOnBus(stack.access) };
}

/** When a command was sent, was on the bus, and had its outcome reported (`performance.now()`). */
interface Way {
  readonly sentAt: number;
  onBusAt: number;
  reportedAt: number;
}

/** Sends a command, and reports its outcome as soon as it is on the bus. */
async function runCommand({ client, platform, bus }: Flight, ways: Map<string, Way>): Promise<void> {
  const { deviceId, api } = client;
  const sentAt = performance.now();
  const { command } = await api.devices.command(deviceId, { name: 'TAKE_PHOTO' });
  const { commandId } = command;
  const way: Way = { sentAt, onBusAt: await bus.heard(commandId), reportedAt: performance.now() };
  const detail = { requestId: commandId, deviceId, outcome: 'DONE' as const, at: new Date().toISOString() };
  await platform({ type: 'control.outcome.reported', detail });
  ways.set(commandId, way);
}

const row = (figure: string, times: readonly number[]): Measured => {
  const p95 = percentile(times, 95);
  return {
    figure,
    measured: `p95 ${p95.toFixed(0)} ms of ${times.length}`,
    mustBe: `at most ${MAX_MS} ms`,
    ok: p95 <= MAX_MS,
  };
};

/** Ten commands a second, while the group has the followers; the rows of their two ways. */
async function runStage(flight: Flight, followers: readonly Listener[]): Promise<Measured[]> {
  const ways = new Map<string, Way>();
  const running: Promise<void>[] = [];
  for (let count = 0; count < COMMANDS; count++) {
    running.push(runCommand(flight, ways));
    await pause(EVERY_MS);
  }
  await Promise.all(running);
  const doneIn = ({ received }: Listener) =>
    received.filter(({ commandId = '', status }) => status === 'DONE' && ways.has(commandId));
  await waitUntil(() => followers.every((follower) => doneIn(follower).length >= COMMANDS));
  const onBus = [...ways.values()].map(({ sentAt, onBusAt }) => onBusAt - sentAt);
  const arrivals = followers
    .flatMap(doneIn)
    .map(({ commandId = '', at }) => at - (ways.get(commandId)?.reportedAt ?? 0));
  const told = `; followers: ${followers.length}`;
  const toSockets = followers.length === 0 ? [] : [row(`an outcome → the sockets${told}`, arrivals)];
  return [row(`a command by REST → on the bus${told}`, onBus), ...toSockets];
}

/** One device that gets ten commands a second: how long a command and its outcome take, by its followers. */
export const commands: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'commands-'));
  const stack = await startLocalStack(join(__dirname, '../..'), folder, ['--memory', '--no-fleet']);
  try {
    const flight = await begin(stack, folder);
    const { client } = flight;
    const followers: Listener[] = [];
    const measured: Measured[] = [];
    // Once: with twenty more for each stage the device would exceed its commands of a minute.
    for (let count = 0; count < WARM_UP; count++) await runCommand(flight, new Map());
    for (const count of STAGES) {
      while (followers.length < count)
        followers.push(await follow(stack.facts, client, { kind: 'group', id: client.deviceGroupId }));
      measured.push(...(await runStage(flight, followers)));
    }
    for (const follower of followers) follower.close();
    await flight.bus.close();
    return measured;
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};

/** Hears the commands on the bus of a running stack, as the drone platform does. */
interface BusListener {
  /** Waits for a command. @returns when it came (`performance.now()`) */
  heard(commandId: string): Promise<number>;
  close(): Promise<void>;
}

const event = z.object({ detail: z.looseObject({ commandId: z.optional(z.string()) }) });

/** Makes a queue and a rule, which end with the stack. */
async function listenOnBus(stack: AwsAccess): Promise<BusListener> {
  const { bus, options } = await findBus(stack);
  const queue = await makeQueueOf(bus, 'bench-listener', options);
  const cameAt = new Map<string, number>();
  const stopping = new AbortController();
  const receiving = (async () => {
    while (!stopping.signal.aborted) {
      const messages = await queue.take(1);
      const now = performance.now();
      for (const message of messages) {
        const { commandId } = event.parse(message).detail;
        if (commandId !== undefined && !cameAt.has(commandId)) cameAt.set(commandId, now);
      }
    }
  })();
  return {
    async heard(commandId) {
      await waitUntil(() => cameAt.has(commandId));
      return cameAt.get(commandId) ?? NaN;
    },
    async close() {
      stopping.abort();
      await receiving;
    },
  };
}
