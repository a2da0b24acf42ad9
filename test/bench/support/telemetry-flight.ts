import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { TELEMETRY_PATH } from '../../../contract/websocket-actions';
import type { StackFacts } from '../../../bin/start/stack-facts';
import type { ChannelClient } from './many-clients';

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
export async function prepareFlight(
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
