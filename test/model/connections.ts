import { readFileSync } from 'node:fs';
import { connect, type MqttClient } from 'mqtt';
import { WebSocket } from 'ws';
import type { Facts } from '../api/stack/facts';
import type { Caller } from './caller';

/** Return code of a refused subscription, in place of a QoS (MQTT 3.1.1, section 3.9.3). */
const SUBACK_FAILURE = 128;

/** Allows for a busy machine, not for a slow service; in ms. */
const CONNECT_TIMEOUT_MS = 60_000;

/** An open WebSocket. */
export interface OpenWebSocket {
  send(message: object): void;
  close(): void;
  /** Resolves with the code of the close frame once the connection has ended. */
  readonly closed: Promise<number>;
}

/** Result of a handshake: an open socket, or the HTTP status that refused it. */
export interface Handshake {
  readonly start: number;
  readonly end: number;
  readonly status: number;
  readonly socket?: OpenWebSocket;
}

/**
 * Opens a WebSocket below {ws_url}.
 * @param token access token; none for a viewer, whose path has a share code
 * @throws Error without an answer
 */
export async function openWebSocket(
  { wsUrl }: Facts,
  path: string,
  token: string | undefined,
  onMessage: (text: string) => void,
): Promise<Handshake> {
  const start = performance.now();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(wsUrl + path, { handshakeTimeout: CONNECT_TIMEOUT_MS, headers });
  socket.on('message', (data: Buffer) => onMessage(data.toString()));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  const status = await new Promise<number>((resolve, reject) => {
    socket.once('open', () => resolve(101));
    // Stays registered: a later error is followed by a close.
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

/** A client's MQTTS connection, for any number of topics. */
export class MqttConnection {
  private readonly handlers = new Map<string, (text: string) => void>();
  /** Set when the connection has ended. */
  closedAt: number | undefined;

  private constructor(private readonly client: MqttClient) {
    client.on('message', (topic, payload) => {
      // An empty message only clears the retained one.
      if (payload.length > 0) this.handlers.get(topic)?.(payload.toString());
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
      connectTimeout: CONNECT_TIMEOUT_MS,
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

  isSubscribed(topic: string): boolean {
    return this.handlers.has(topic);
  }

  /** @returns whether the subscription was granted */
  subscribe(topic: string, onMessage: (text: string) => void): Promise<boolean> {
    this.handlers.set(topic, onMessage);
    return new Promise((resolve, reject) => {
      // The library reports a refusal as an error; the SUBACK has one code per topic.
      this.client.subscribe(topic, { qos: 1 }, (error, _, answer) => {
        const isGranted = answer?.granted.every((qos) => Number(qos) !== SUBACK_FAILURE);
        if (!isGranted) this.handlers.delete(topic);
        if (isGranted === undefined) reject(error ?? new Error('a subscription was not answered'));
        else resolve(isGranted);
      });
    });
  }

  async unsubscribe(topic: string): Promise<void> {
    this.handlers.delete(topic);
    if (this.closedAt === undefined) await this.client.unsubscribeAsync(topic);
  }

  async close(): Promise<void> {
    this.closedAt ??= performance.now();
    await this.client.endAsync(true);
  }
}
