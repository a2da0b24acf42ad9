import { shareProtocols } from '../../contract/telemetry';
import type { Client } from '../api/client';
import type { Message } from './heard';
import { shakeHands, type Handshake, type Socket } from './socket';

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

/** What the handshake of a share page agrees on: that it may watch, or why not. */
export async function outcomeForPage(shareCode: string): Promise<string> {
  const socket = opened(await shakeHands(withCode(shareCode), {}, Object.values(shareProtocols)));
  await socket.close();
  // Who is kept out is told nothing more.
  if (socket.socket.protocol !== shareProtocols.watching) expect(socket.messages).toEqual([]);
  return socket.socket.protocol;
}

/** Opens a viewer's socket and waits until it has been told of the share. @throws Error when the handshake is refused */
export async function watch(shareCode: string): Promise<Socket> {
  const socket = opened(await tryToWatch(shareCode));
  await socket.like({ type: 'share.status', snapshot: true });
  return socket;
}

let asked = 0;

/** What is answered to a message, without the id by which it is known. */
export async function ask(socket: Socket, message: object): Promise<Message> {
  const id = `asked-${++asked}`;
  socket.say({ ...message, id });
  const { id: _, ...answer } = await socket.like({ id });
  return answer;
}

/** Follows a device or a group over a socket. */
export async function subscribeTo(socket: Socket, named: object): Promise<void> {
  expect(await ask(socket, { action: 'subscribe', ...named })).toEqual({ type: 'subscribed', ...named });
}

/** Publishes what must all be news. */
export async function publish(socket: Socket, ...telemetry: readonly object[]): Promise<void> {
  const answer = await ask(socket, { action: 'publish', telemetry });
  expect(answer).toEqual({ type: 'published', accepted: telemetry.length });
}

let last = 0;

/** A sample of a device, later than all before it. */
export function sampleOf<State extends object>(deviceId: string, state?: State) {
  last = Math.max(Date.now(), last + 1);
  return { deviceId, timestamp: new Date(last).toISOString(), ...(state as State) };
}

/** The samples of a device that a socket has heard live, in order. */
export const samplesIn = (socket: Socket, deviceId: string): Message[] =>
  socket.messages.filter(
    (message) =>
      message['type'] === 'device.telemetry' && message['deviceId'] === deviceId && message['snapshot'] !== true,
  );
