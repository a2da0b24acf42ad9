import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { shareProtocols } from '../../contract/shares/viewer-protocol';
import type { Client } from '../api/client';
import { database, tableNamed } from '../api/stack/aws-access';
import type { Message } from './message-log';
import { shakeHands, type Handshake, type Socket } from './socket';
import { until } from './until';

const PATH = '/telemetry';

function opened({ status, socket }: Handshake): Socket {
  if (!socket) throw new Error(`the handshake was refused with ${status}`);
  return socket;
}

/** Handshake of a partner's client at the telemetry endpoint. */
export const tryToOpen = async (client: Client): Promise<Handshake> =>
  shakeHands(PATH, { authorization: `Bearer ${await client.token()}` });

/** Opens a partner's telemetry socket. @throws Error when the handshake is refused */
export const openTelemetry = async (client: Client): Promise<Socket> => opened(await tryToOpen(client));

const withCode = (shareCode: string) => `${PATH}?${new URLSearchParams({ shareCode }).toString()}`;

/** Handshake of a viewer with a share code. */
export const tryToWatch = (shareCode: string): Promise<Handshake> => shakeHands(withCode(shareCode));

/** Subprotocol that the handshake of a share page agrees on: that it may watch, or why not. */
export async function outcomeForPage(shareCode: string): Promise<string> {
  const socket = opened(await shakeHands(withCode(shareCode), {}, Object.values(shareProtocols)));
  await socket.close();
  // A refused page receives no messages.
  if (socket.socket.protocol !== shareProtocols.watching) expect(socket.messages).toEqual([]);
  return socket.socket.protocol;
}

/**
 * Opens a viewer's socket and waits until its snapshot is sent, the share's and the device's: a sample that is
 * published meanwhile may be the snapshot.
 * @throws Error when the handshake is refused
 */
export async function watch(shareCode: string): Promise<Socket> {
  const socket = opened(await tryToWatch(shareCode));
  await socket.like({ type: 'share.status', snapshot: true });
  await until('the snapshot', () => haveSnapshots(`share#${shareCode}`));
  return socket;
}

let requestCount = 0;

/** Sends a message with an id and returns the answer without it. */
export async function ask(socket: Socket, message: object): Promise<Message> {
  const id = `request-${++requestCount}`;
  socket.send({ ...message, id });
  const { id: _, ...answer } = await socket.like({ id });
  return answer;
}

/** Whether no follower of a channel waits for its snapshot any more. */
async function haveSnapshots(channel: string): Promise<true | undefined> {
  const { Items = [] } = await database().send(
    new QueryCommand({
      TableName: await tableNamed('Connections'),
      KeyConditionExpression: 'channel = :channel',
      ExpressionAttributeValues: { ':channel': channel },
      ConsistentRead: true,
    }),
  );
  return Items.every((follower) => follower['bufferingSince'] === undefined) ? true : undefined;
}

/**
 * Follows a device or a group over a socket, and waits until its snapshot is sent: a sample that is published meanwhile may be
 * the snapshot.
 */
export async function subscribeTo(
  socket: Socket,
  target: ({ readonly deviceId: string } | { readonly deviceGroupId: string }) & { readonly batch?: true },
): Promise<void> {
  expect(await ask(socket, { action: 'subscribe', ...target })).toEqual({ type: 'subscribed', ...target });
  const followed = 'deviceId' in target ? target.deviceId : target.deviceGroupId;
  await until('the snapshot', () => haveSnapshots(`telemetry#${followed}`));
}

/** Publishes samples, which must all be new. */
export async function publish(socket: Socket, ...telemetry: readonly object[]): Promise<void> {
  const answer = await ask(socket, { action: 'publish', telemetry });
  expect(answer).toMatchObject({ type: 'published', accepted: telemetry.length });
}

/**
 * Publishes samples that were published before, until they are repeats for the instance that gets them: one that has not seen the
 * device accepts what was not saved yet, once.
 */
export const publishAgain = (socket: Socket, ...telemetry: readonly object[]) =>
  until('an answer that accepts no repeat', async () => {
    const answer = await ask(socket, { action: 'publish', telemetry });
    return answer['accepted'] === 0 ? answer : undefined;
  });

let last = 0;

/** A sample of a device, later than all before it. */
export function sampleOf<State extends object>(deviceId: string, state?: State) {
  last = Math.max(Date.now(), last + 1);
  return { deviceId, timestamp: new Date(last).toISOString(), ...(state as State) };
}

/** Samples of a device that a socket has received, in order, without snapshots. */
export const samplesIn = (socket: Socket, deviceId: string): Message[] =>
  socket.messages.filter(
    (message) =>
      message['type'] === 'device.telemetry' && message['deviceId'] === deviceId && message['snapshot'] !== true,
  );
