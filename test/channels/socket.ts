import { setTimeout as pause } from 'node:timers/promises';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { WebSocket } from 'ws';
import { channels, type Channel } from '../../contract/channels/status-channels';
import { channelKey } from '../../data/store/channel-key';
import type { Client } from '../api/client';
import { database, tableNamed } from '../api/stack/aws-access';
import { readFacts } from '../api/stack/facts';
import { afterTests } from './after-tests';
import { MessageLog } from './message-log';
import { quiet } from './until';

/** Path of a channel's WebSocket. */
export const pathOf = ({ kind, id }: Channel) => channels[kind].path.replace('{id}', id);

/** An open WebSocket and its received messages. */
export class Socket extends MessageLog {
  /** Resolves with code and reason of the close frame. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;

  constructor(readonly socket: WebSocket) {
    super();
    socket.on('message', (data: Buffer) => this.add(data.toString()));
    this.closed = new Promise((resolve) =>
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() })),
    );
    // Every error after the handshake is followed by a close.
    socket.on('error', () => undefined);
    open.push(this);
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }
}

/** Sockets that tests have left open. */
const open: Socket[] = [];
afterTests(async () => {
  for (const left of open) left.socket.terminate();
  await Promise.all(open.splice(0).map(({ closed }) => closed));
});

/** Result of a handshake: an open socket, or the HTTP status of its refusal. */
export interface Handshake {
  readonly status: number;
  readonly socket?: Socket;
}

/** Opens a WebSocket at a path below {ws_url}. */
export async function shakeHands(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  protocols: readonly string[] = [],
): Promise<Handshake> {
  const socket = new WebSocket(readFacts().wsUrl + path, [...protocols], { headers });
  const opened = new Socket(socket);
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve({ status: 101, socket: opened }));
    socket.once('error', reject);
    socket.once('unexpected-response', (request, { statusCode = 0 }) => {
      request.destroy();
      resolve({ status: statusCode });
    });
  });
}

/** Handshake with a client's token. @param after cursor to resume from */
export async function tryToFollow(client: Client, channel: Channel, after?: string): Promise<Handshake> {
  const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
  return shakeHands(pathOf(channel) + query, { authorization: `Bearer ${await client.token()}` });
}

/** Follows a channel. @param after cursor to resume from @throws Error when the handshake is refused */
export async function follow(client: Client, channel: Channel, after?: string): Promise<Socket> {
  const { status, socket } = await tryToFollow(client, channel, after);
  if (!socket) throw new Error(`the handshake was refused with ${status}`);
  return socket;
}

/** Waits until every connection of a channel has its snapshot, which earlier changes may be part of. */
async function untilSnapshotsAreSent(channel: Channel): Promise<void> {
  const waiting = async () => {
    const { Items = [] } = await database().send(
      new QueryCommand({
        TableName: await tableNamed('Connections'),
        KeyConditionExpression: 'channel = :channel',
        FilterExpression: 'attribute_exists(bufferingSince)',
        ExpressionAttributeValues: { ':channel': channelKey(channel) },
        ConsistentRead: true,
      }),
    );
    return Items.length;
  };
  while ((await waiting()) > 0) await pause(20);
  await quiet();
}

/** Follows a channel and waits for its snapshot of `count` messages. */
export async function followFromSnapshot(client: Client, channel: Channel, count = 1): Promise<Socket> {
  const socket = await follow(client, channel);
  await socket.first(count);
  await untilSnapshotsAreSent(channel);
  return socket;
}
