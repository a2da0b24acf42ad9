import './node-version.ts';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { HANDSHAKE_TIMEOUT_MS, type OpenSocket, type Socket } from './channels/socket.ts';
import { watchShareWith } from './channels/watch-share.ts';
import { Client } from './client.ts';
import { connectionError } from './connection-problem.ts';
import { refusal } from './errors.ts';
import type { ClientOptions } from './options.ts';

export * from './public.ts';

/** Opens a WebSocket with `ws`, which can set the Authorization header and read the status of a refusal. */
const openNodeSocket: OpenSocket = async (request) => {
  const { url, token, protocols = [], subject, signal, onMessage } = request;
  signal.throwIfAborted();
  const socket = new WebSocket(url, [...protocols], {
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
  });
  socket.on('message', (data: Buffer) => onMessage(data.toString()));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const abandon = () => socket.terminate();
  signal.addEventListener('abort', abandon);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve());
      // Stays registered: a later error is followed by a close.
      socket.on('error', (error) => reject(signal.aborted ? (signal.reason as Error) : handshakeError(error, url)));
      socket.once('unexpected-response', (sent, response) => {
        readText(response).then(
          (text) => {
            const header = (name: string) => response.headers[name]?.toString();
            reject(refusal(subject, { status: response.statusCode ?? 0, header, text }));
            sent.destroy();
          },
          (error: unknown) => reject(connectionError(error, url, 'wsUrl')),
        );
      });
    });
  } finally {
    signal.removeEventListener('abort', abandon);
  }
  return openSocket(socket, closed);
};

/** `ws` would wait 30 s for a server that does not answer the close frame, and keep the process running. */
const CLOSE_TIMEOUT_MS = 2_000;

const openSocket = (socket: WebSocket, closed: Promise<void>): Socket => ({
  protocol: socket.protocol,
  send(text) {
    if (socket.readyState === socket.OPEN) socket.send(text);
  },
  close() {
    socket.close();
    setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS).unref();
  },
  closed,
});

/** `ws` reports its own time limit without a code. */
const handshakeError = (error: Error, url: string) =>
  connectionError(/timed out/.test(error.message) ? { name: 'TimeoutError', cause: error } : error, url, 'wsUrl');

/** More than the body of any refusal. */
const MAX_BODY_BYTES = 16_384;

async function readText(response: IncomingMessage): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    text += chunk as string;
    if (text.length > MAX_BODY_BYTES) break;
  }
  return text;
}

/** A client of the Drone Mission Integration API, on Node.js. */
export class DroneMissionClient extends Client {
  /** @throws DroneMissionError that names the option which is missing or wrong */
  constructor(options: ClientOptions) {
    super(options, openNodeSocket);
  }
}

/**
 * What a viewer of a share link sees, without a token: the share, its video, the device's last known state and every sample.
 * Ends when the share is revoked or expires.
 * @throws ApiError, ConnectionError, the reason of the signal
 */
export const watchShare = watchShareWith(openNodeSocket);
