import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Channel } from '../../contract/channels/status-channels';
import type { Client } from '../api/client';
import { readFacts } from '../api/stack/facts';
import type { Message } from './message-log';
import { pathOf } from './socket';
import { until } from './until';

/** Sockets that a test has left open. */
const open = new Set<WebSocket>();
afterEach(() => {
  for (const left of open) left.terminate();
  open.clear();
});

/** A client that drops repeats by cursor, and goes on with the last cursor that it has. */
abstract class Receiver {
  /** Each change as it came first, by cursor, in the order of arrival. */
  readonly received = new Map<string, Message>();
  protected known: string;

  constructor(
    protected readonly client: Client,
    private readonly beginning: string,
  ) {
    this.known = beginning;
  }

  protected keep({ replayed: _, ...event }: Message): void {
    const cursor = String(event['cursor']);
    this.known = cursor;
    // On the channel of a group the replay begins some seconds before the cursor.
    if (cursor > this.beginning && !this.received.has(cursor)) this.received.set(cursor, event);
  }
}

/** Follows a channel over WSS; its connection is lost again and again. */
export class CutOffFollower extends Receiver {
  /** What must not come: refused handshakes, gaps, snapshots. */
  readonly failures: unknown[] = [];

  constructor(
    client: Client,
    readonly channel: Channel,
    after: string,
  ) {
    super(client, after);
  }

  private take(message: Message): void {
    const { type, cursor, snapshot } = message;
    if (type === 'resumed') this.known = String(cursor);
    else if (type === 'gap' || snapshot) this.failures.push(message);
    // Positions and heartbeats have no cursor.
    else if (cursor !== undefined) this.keep(message);
  }

  private async connect(): Promise<WebSocket> {
    const headers = { authorization: `Bearer ${await this.client.token()}` };
    const { wsUrl } = readFacts();
    const socket = new WebSocket(`${wsUrl}${pathOf(this.channel)}?after=${this.known}`, { headers });
    open.add(socket);
    socket.on('message', (data: Buffer) => this.take(JSON.parse(data.toString()) as Message));
    socket.on('error', (error) => this.failures.push(error));
    return socket;
  }

  /** Connects, and is cut off. @param moments in ms, each after the handshake has begun or after the first message */
  async cutOff(moments: readonly number[], cut: () => void): Promise<void> {
    for (const [index, moment] of moments.entries()) {
      const socket = await this.connect();
      // The service closes a socket that takes a message too slowly, as on a busy machine.
      if (index % 3) await Promise.race([once(socket, 'message'), once(socket, 'close')]);
      await pause(moment);
      socket.removeAllListeners();
      // A handshake that is cut off ends with an error.
      socket.on('error', () => undefined).terminate();
      open.delete(socket);
      cut();
    }
  }

  /** Connects once more, and again when it is closed, and waits for a change. */
  async goOnTo(cursor: string | undefined): Promise<void> {
    let socket = await this.connect();
    const hasCome = async () => {
      if (socket.readyState === WebSocket.CLOSED) socket = await this.connect();
      return cursor === undefined || this.received.has(cursor) || undefined;
    };
    await until(`receiving ${cursor}`, hasCome, () => [this.failures, ...this.received.keys()]);
  }
}

/** Reads the feed; it ends again and again between receiving a page and storing the cursor of its last event. */
export class CutOffReader extends Receiver {
  private async page(wait: number) {
    const query = { after: this.known, limit: '100', wait: String(wait) };
    const { status, body } = await this.client.call('GET /v3/events', { query });
    expect([status, body.details]).toEqual([200, undefined]);
    return body;
  }

  /** Reads pages, but keeps a part of each, and stores the cursor of an event before the last one that it keeps. */
  async cutOff(moments: readonly number[], cut: () => void): Promise<void> {
    for (const moment of moments) {
      await pause(moment);
      const { events } = await this.page(1);
      const kept = events.slice(0, moment % (events.length + 1));
      for (const event of kept) this.keep(event);
      this.known = kept[Math.floor(kept.length / 2)]?.cursor ?? this.known;
      cut();
    }
  }

  /** Reads on as far as a cursor. */
  async goOnTo(last: string): Promise<void> {
    while (this.known < last) {
      const { events, cursor } = await this.page(20);
      for (const event of events) this.keep(event);
      this.known = cursor;
    }
  }
}
