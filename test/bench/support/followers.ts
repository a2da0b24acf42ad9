import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'mqtt';
import { WebSocket } from 'ws';
import { channels, type Channel } from '../../../contract/channels/status-channels';
import { topicName } from '../../../contract/terms/channel-addresses';
import type { StackFacts } from '../../../bin/start/stack-facts';
import type { ChannelClient } from './many-clients';
import { TELEMETRY_PATH } from '../../../contract/websocket-actions';

/** The evaluated fields of a message, and when it arrived (`performance.now()`). */
export interface ReceivedMessage {
  readonly jobId?: string;
  readonly jobState?: string;
  readonly commandId?: string;
  readonly status?: string;
  readonly sequence: number;
  readonly snapshot?: true;
  readonly at: number;
}

/** A follower of channels. */
export interface Listener {
  readonly received: readonly ReceivedMessage[];
  close(): void;
}

/** In ms. */
const WAIT_TIMEOUT_MS = 30_000;
/** In ms. A client that has used up the handshakes of its minute must wait for the next one. */
const CONNECT_TIMEOUT_MS = 70_000;

/** Maximum topic filters per SUBSCRIBE of AWS IoT. */
const MAX_FILTERS = 8;

function messageRecorder() {
  const received: ReceivedMessage[] = [];
  const record = (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Omit<ReceivedMessage, 'at'> & { readonly type: string };
    if (message.type !== 'heartbeat') received.push({ ...message, at: performance.now() });
  };
  return { received, record };
}

/**
 * Follows a channel over WSS and waits for its snapshot. Retries on 429, until seats of closed sockets are released or
 * the next minute begins.
 */
export async function follow(
  { wsUrl }: Pick<StackFacts, 'wsUrl'>,
  { token }: ChannelClient,
  { kind, id }: Channel,
): Promise<Listener> {
  const { received, record } = messageRecorder();
  const headers = { authorization: `Bearer ${token}` };
  const deadline = performance.now() + CONNECT_TIMEOUT_MS;
  for (;;) {
    const socket = new WebSocket((wsUrl ?? '') + channels[kind].path.replace('{id}', id), { headers });
    socket.on('message', record);
    const refusal = await new Promise<Error | undefined>((resolve) => {
      socket.once('open', () => resolve(undefined)).once('error', resolve);
    });
    if (!refusal) {
      await waitUntil(() => received.length > 0);
      return { received, close: () => socket.terminate() };
    }
    if (!refusal.message.endsWith('429') || performance.now() > deadline) throw refusal;
    await pause(100);
  }
}

let connections = 0;

/** Subscribes to jobs over one MQTTS connection. */
export async function subscribeToJobs(
  { mqttUrl, caFile }: Pick<StackFacts, 'mqttUrl'> & { readonly caFile?: string | undefined },
  { clientId, token }: ChannelClient,
  jobIds: readonly string[],
): Promise<Listener> {
  const { received, record } = messageRecorder();
  const client = connect(mqttUrl ?? '', {
    username: clientId,
    password: token,
    clientId: `${clientId}-${++connections}`,
    ...(caFile !== undefined && { ca: readFileSync(caFile) }),
    protocolVersion: 4,
    reconnectPeriod: 0,
  });
  client.on('message', (_, payload) => record(payload));
  await new Promise((resolve, reject) => client.once('connect', resolve).once('error', reject));
  const topics = jobIds.map((id) => topicName({ kind: 'job', id }));
  for (let from = 0; from < topics.length; from += MAX_FILTERS)
    await client.subscribeAsync(topics.slice(from, from + MAX_FILTERS), { qos: 1 });
  await waitUntil(() => received.length >= jobIds.length);
  return { received, close: () => client.end(true) };
}

/** Waits until a condition holds. @throws Error after a timeout */
export async function waitUntil(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + WAIT_TIMEOUT_MS;
  while (!condition()) {
    if (performance.now() > deadline)
      throw new Error(`The condition did not hold within ${WAIT_TIMEOUT_MS / 1000} s: ${condition.toString()}`);
    await pause(5);
  }
}

/** A received sample of a device. */
export interface ReceivedSample {
  readonly deviceId: string;
  /** The sample's timestamp, Unix milliseconds. */
  readonly takenAt: number;
  /** From its timestamp to its arrival, in ms. */
  readonly lagMs: number;
}

interface Message {
  readonly type: string;
  readonly deviceId: string;
  readonly timestamp: string;
  readonly snapshot?: true;
  /** Of a batch. */
  readonly samples?: readonly Message[];
}

/**
 * Subscribes to the telemetry of groups, each over a socket of its own; `onSample` gets every live sample, `batch` asks
 * for batches.
 * @returns a function that disconnects
 */
export async function followGroups(
  { wsUrl }: StackFacts,
  { token, deviceGroups }: ChannelClient,
  onSample: (sample: ReceivedSample) => void,
  batch = false,
): Promise<() => void> {
  const sockets = deviceGroups.map(
    () => new WebSocket((wsUrl ?? '') + TELEMETRY_PATH, { headers: { authorization: `Bearer ${token}` } }),
  );
  await Promise.all(
    sockets.map(async (socket, index) => {
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      const subscribed = new Promise<void>((resolve) => {
        socket.on('message', (data: Buffer) => {
          const now = Date.now();
          const message = JSON.parse(data.toString()) as Message;
          if (message.type === 'subscribed') resolve();
          for (const { type, deviceId, timestamp, snapshot } of message.samples ?? [message]) {
            if (type !== 'device.telemetry' || snapshot) continue;
            const takenAt = Date.parse(timestamp);
            onSample({ deviceId, takenAt, lagMs: now - takenAt });
          }
        });
      });
      const { deviceGroupId } = deviceGroups[index] ?? {};
      socket.send(JSON.stringify({ action: 'subscribe', deviceGroupId, ...(batch && { batch }) }));
      await subscribed;
    }),
  );
  return () => sockets.forEach((socket) => socket.terminate());
}
