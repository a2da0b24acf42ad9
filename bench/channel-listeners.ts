import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'mqtt';
import { WebSocket } from 'ws';
import { channels, topicOf } from '../contract/channels';
import type { Channel } from '../domain/status-event';
import type { StackFacts } from '../local/stack-file';
import type { ChannelClient } from './many-clients';

/** What of a message is looked at, and when it came (`performance.now()`). */
export interface Heard {
  readonly jobId?: string;
  readonly jobState?: string;
  readonly sequence: number;
  readonly snapshot?: true;
  readonly at: number;
}

/** Somebody who follows channels. */
export interface Listener {
  readonly heard: readonly Heard[];
  close(): void;
}

/** In ms. */
const PATIENCE = 30_000;
/** A client that has used up the handshakes of its minute has others in the next one. */
const LET_IN_WITHIN = 70_000;

/** Filters that AWS IoT takes in one SUBSCRIBE. */
const AT_ONCE = 8;

function keeper() {
  const heard: Heard[] = [];
  const keep = (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Omit<Heard, 'at'> & { readonly type: string };
    if (message.type !== 'heartbeat') heard.push({ ...message, at: performance.now() });
  };
  return { heard, keep };
}

/** Follows a channel over WSS, from its snapshot on. Waits for places that sockets closed before have yet to give back, and for its next minute. */
export async function follow(
  { wsUrl }: StackFacts,
  { token }: ChannelClient,
  { kind, id }: Channel,
): Promise<Listener> {
  const { heard, keep } = keeper();
  const headers = { authorization: `Bearer ${token}` };
  const deadline = performance.now() + LET_IN_WITHIN;
  for (;;) {
    const socket = new WebSocket((wsUrl ?? '') + channels[kind].path.replace('{id}', id), { headers });
    socket.on('message', keep);
    const refusal = await new Promise<Error | undefined>((resolve) => {
      socket.once('open', () => resolve(undefined)).once('error', resolve);
    });
    if (!refusal) {
      await until(() => heard.length > 0);
      return { heard, close: () => socket.terminate() };
    }
    if (!refusal.message.endsWith('429') || performance.now() > deadline) throw refusal;
    await pause(100);
  }
}

let connections = 0;

/** Subscribes to jobs over one MQTTS connection. */
export async function subscribeToJobs(
  { mqttUrl, caFile }: StackFacts,
  { clientId, token }: ChannelClient,
  jobIds: readonly string[],
): Promise<Listener> {
  const { heard, keep } = keeper();
  const client = connect(mqttUrl ?? '', {
    username: clientId,
    password: token,
    clientId: `${clientId}-${++connections}`,
    ca: readFileSync(caFile),
    protocolVersion: 4,
    reconnectPeriod: 0,
  });
  client.on('message', (_, payload) => keep(payload));
  await new Promise((resolve, reject) => client.once('connect', resolve).once('error', reject));
  const topics = jobIds.map((id) => topicOf({ kind: 'job', id }));
  for (let from = 0; from < topics.length; from += AT_ONCE)
    await client.subscribeAsync(topics.slice(from, from + AT_ONCE), { qos: 1 });
  await until(() => heard.length >= jobIds.length);
  return { heard, close: () => client.end(true) };
}

/** Waits until something is so. @throws Error when it takes too long */
export async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE;
  while (!isSo()) {
    if (performance.now() > deadline)
      throw new Error(`It did not happen within ${PATIENCE / 1000} s: ${isSo.toString()}`);
    await pause(5);
  }
}
