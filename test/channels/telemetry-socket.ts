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

/** Handshake of a viewer with a share code, as the share page makes it with `page=1`. */
export const tryToWatch = (shareCode: string, more: Readonly<Record<string, string>> = {}): Promise<Handshake> =>
  shakeHands(`${PATH}?${new URLSearchParams({ shareCode, ...more }).toString()}`);

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
export function sampleOf(deviceId: string, state: object = {}) {
  last = Math.max(Date.now(), last + 1);
  return { deviceId, timestamp: new Date(last).toISOString(), ...state };
}

/** The samples of a device that a socket has heard live, in order. */
export const samplesIn = (socket: Socket, deviceId: string): Message[] =>
  socket.messages.filter(
    (message) =>
      message['type'] === 'device.telemetry' && message['deviceId'] === deviceId && message['snapshot'] !== true,
  );
