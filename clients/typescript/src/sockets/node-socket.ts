import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { connectionError } from '../connection-problem.ts';
import { refusal } from '../http/refusal.ts';
import { HANDSHAKE_TIMEOUT_MS, type OpenSocket, type Socket } from './socket.ts';

/** Opens a WebSocket with `ws`, which can set the Authorization header and read the status of a refusal. */
export const openNodeSocket: OpenSocket = async (request) => {
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
