import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { TELEMETRY_PATH } from '../contract/telemetry';
import type { StackFacts } from '../local/stack-file';
import type { ChannelClient } from './many-clients';

/** Between two samples of a device, in ms: 10 Hz. */
const PERIOD = 100;
/** How long what is under way at the end may take, in ms. */
const PATIENCE = 10_000;

/** A sample that was heard. */
interface Heard {
  readonly sequence: number;
  /** From the moment when it was sent until it came, in ms. */
  readonly taken: number;
}

/** Who follows one device, and what it has heard live. */
export interface Follower {
  readonly deviceId: string;
  readonly heard: Heard[];
}

/** Devices that report ten times a second, each over a socket of its own, and who follows them. */
export interface Flight {
  readonly followers: readonly Follower[];
  /** Lets all devices report for so many seconds, and waits until everything was heard; gives the sequences of each. */
  fly(seconds: number): Promise<ReadonlyMap<string, readonly number[]>>;
  /** Errors that publishers were answered with. */
  readonly errors: readonly string[];
  close(): void;
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

/** What a drone under way reports. */
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
 * Opens the sockets: one that publishes for each device, and followers who are shared out among the devices.
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
      if (!text.startsWith('{"type":"published"')) errors.push(text);
    });
    publishers.set(deviceId, socket);
  }
  const followers: Follower[] = [];
  for (let index = 0; index < followerCount; index++) {
    const deviceId = deviceIds[index % deviceIds.length] ?? '';
    const heard: Heard[] = [];
    const socket = await openNext();
    const subscribed = new Promise<void>((resolve) => {
      socket.on('message', (data: Buffer) => {
        const { type, sequence, snapshot } = JSON.parse(data.toString()) as Message;
        if (type === 'subscribed') resolve();
        if (type !== 'device.telemetry' || snapshot) return;
        const begin = sentAt.get(`${deviceId} ${sequence}`);
        // What was flown before may come late.
        if (begin !== undefined) heard.push({ sequence, taken: performance.now() - begin });
      });
    });
    socket.send(JSON.stringify({ action: 'subscribe', deviceId }));
    await subscribed;
    followers.push({ deviceId, heard });
  }

  /** One device, beginning at its own moment within the period, so that not all report at once. */
  async function report(deviceId: string, socket: WebSocket, delay: number, count: number): Promise<number[]> {
    const begin = performance.now() + delay;
    const sequences: number[] = [];
    for (let index = 0; index < count; index++) {
      await pause(Math.max(0, begin + index * PERIOD - performance.now()));
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
      for (const { heard } of followers) heard.length = 0;
      const spread = PERIOD / publishers.size;
      const flown = await Promise.all(
        [...publishers].map(async ([deviceId, socket], index) => {
          const sequences = await report(deviceId, socket, index * spread, (seconds * 1000) / PERIOD);
          return [deviceId, sequences] as const;
        }),
      );
      const sequences = new Map(flown);
      const deadline = performance.now() + PATIENCE;
      const misses = ({ deviceId, heard }: Follower) => heard.length < (sequences.get(deviceId)?.length ?? 0);
      while (followers.some(misses) && performance.now() < deadline) await pause(20);
      return sequences;
    },
    close: () => sockets.forEach((socket) => socket.terminate()),
  };
}
