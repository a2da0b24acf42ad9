import { WebSocket } from 'ws';

/** Options of a WebSocket connection. */
export interface WebSocketOptions {
  /** `wss://…` with path and query. */
  readonly url: string;
  readonly ca?: readonly string[] | undefined;
  /** Access token; none for a viewer, whose query has a share code. */
  readonly token?: string;
  /** Gets the text of each message. */
  readonly onMessage: (text: string) => void;
}

/** The handshake was refused with an HTTP status. */
export class HandshakeRefused extends Error {
  override readonly name = 'HandshakeRefused';

  constructor(readonly status: number) {
    super(`the handshake was refused with ${status}`);
  }
}

/** An open WebSocket. */
export interface OpenWebSocket {
  send(message: object): void;
  close(): void;
  /** Resolves with the code of the close frame once the connection has ended. */
  readonly closed: Promise<number>;
}

const CONNECT_TIMEOUT_MS = 8_000;

/** `ws` would wait 30 s for a server that does not answer the close frame, and keep the process running. */
const CLOSE_TIMEOUT_MS = 2_000;

/**
 * Opens a WebSocket.
 * @throws HandshakeRefused, or Error without an answer
 */
export async function openWebSocket({ url, ca, token, onMessage }: WebSocketOptions): Promise<OpenWebSocket> {
  const socket = new WebSocket(url, {
    handshakeTimeout: CONNECT_TIMEOUT_MS,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    ...(ca && { ca: [...ca] }),
  });
  socket.on('message', (data: Buffer) => onMessage(data.toString()));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    // Stays registered: a later error is followed by a close.
    socket.on('error', reject);
    socket.once('unexpected-response', (request, { statusCode = 0 }) => {
      request.destroy();
      reject(new HandshakeRefused(statusCode));
    });
  });
  const close = () => {
    socket.close();
    setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS).unref();
  };
  return { send: (message) => socket.send(JSON.stringify(message)), close, closed };
}
