import { readFileSync } from 'node:fs';
import { connect, type MqttClient } from 'mqtt';
import { WebSocket } from 'ws';
import type { Facts } from '../api/stack/facts';
import type { Caller } from './caller';

/** In place of a QoS, for a subscription that is refused (MQTT 3.1.1, section 3.9.3). */
const REFUSED = 128;

/** For a machine that is busy, not for a service that is slow: what hangs is a fault after this, in ms. */
const CONNECT_WITHIN_MS = 60_000;

/** An open WebSocket. */
export interface OpenSocket {
  send(message: object): void;
  close(): void;
  /** Resolves with the code of the close frame when the connection has ended, whoever ended it. */
  readonly closed: Promise<number>;
}

/** How a handshake ended: with an open socket, or with the HTTP status that refused it. */
export interface Handshake {
  readonly start: number;
  readonly end: number;
  readonly status: number;
  readonly socket?: OpenSocket;
}

/**
 * Opens a WebSocket below {ws_url}.
 * @param token access token; a viewer with a share code in the path has none
 * @throws Error when nothing answers
 */
export async function shakeHands(
  { wsUrl }: Facts,
  path: string,
  token: string | undefined,
  hear: (text: string) => void,
): Promise<Handshake> {
  const start = performance.now();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(wsUrl + path, { handshakeTimeout: CONNECT_WITHIN_MS, headers });
  socket.on('message', (data: Buffer) => hear(data.toString()));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  const status = await new Promise<number>((resolve, reject) => {
    socket.once('open', () => resolve(101));
    // Stays: what goes wrong later ends in a close.
    socket.on('error', reject);
    socket.once('unexpected-response', (request, { statusCode = 0 }) => {
      request.destroy();
      resolve(statusCode);
    });
  });
  const answer = { start, end: performance.now(), status };
  if (status !== 101) return answer;
  const send = (message: object) => socket.send(JSON.stringify(message));
  return { ...answer, socket: { send, close: () => socket.close(), closed } };
}

/** A client's connection over MQTTS, with which it follows any number of topics. */
export class MqttConnection {
  private readonly hearers = new Map<string, (text: string) => void>();
  /** Set when the connection has ended, whoever ended it. */
  closedAt: number | undefined;

  private constructor(private readonly client: MqttClient) {
    client.on('message', (topic, payload) => {
      // An empty one only clears what the topic retains.
      if (payload.length > 0) this.hearers.get(topic)?.(payload.toString());
    });
    client.on('close', () => (this.closedAt ??= performance.now()));
    client.on('error', () => undefined);
  }

  /** @throws Error when the connection is refused */
  static async of({ mqttUrl, caFile }: Facts, caller: Caller, suffix: string): Promise<MqttConnection> {
    const client = connect(mqttUrl, {
      clientId: `${caller.clientId}-${suffix}`,
      username: caller.clientId,
      password: caller.token,
      protocolVersion: 4,
      connectTimeout: CONNECT_WITHIN_MS,
      reconnectPeriod: 0,
      ...(caFile !== undefined && { ca: readFileSync(caFile) }),
    });
    const connection = new MqttConnection(client);
    await new Promise<void>((resolve, reject) => {
      client.once('connect', () => resolve());
      client.once('error', reject);
      client.once('close', () => reject(new Error('MQTTS was closed')));
    });
    return connection;
  }

  isFollowing(topic: string): boolean {
    return this.hearers.has(topic);
  }

  /** Whether the topic could be subscribed to. */
  follow(topic: string, hear: (text: string) => void): Promise<boolean> {
    this.hearers.set(topic, hear);
    return new Promise((resolve, reject) => {
      // The client calls a refusal an error, and the answer has one code for each topic.
      this.client.subscribe(topic, { qos: 1 }, (error, _, answer) => {
        const isGranted = answer?.granted.every((qos) => Number(qos) !== REFUSED);
        if (!isGranted) this.hearers.delete(topic);
        if (isGranted === undefined) reject(error ?? new Error('a subscription was not answered'));
        else resolve(isGranted);
      });
    });
  }

  async unfollow(topic: string): Promise<void> {
    this.hearers.delete(topic);
    if (this.closedAt === undefined) await this.client.unsubscribeAsync(topic);
  }

  async close(): Promise<void> {
    this.closedAt ??= performance.now();
    await this.client.endAsync(true);
  }
}
