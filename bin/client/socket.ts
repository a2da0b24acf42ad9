import { WebSocket } from 'ws';

/** Where to connect, and who hears what comes. */
export interface SocketRequest {
  /** `wss://…` with path and query. */
  readonly url: string;
  readonly ca?: readonly string[] | undefined;
  /** Access token; a viewer with a share code has none. */
  readonly token?: string;
  /** Gets each message as it came. */
  readonly hear: (text: string) => void;
}

/** A handshake that was refused; `status` is that of its HTTP answer. */
export class HandshakeRefused extends Error {
  override readonly name = 'HandshakeRefused';

  constructor(readonly status: number) {
    super(`the handshake was refused with ${status}`);
  }
}

/** An open WebSocket. */
export interface OpenSocket {
  send(message: object): void;
  close(): void;
  /** Resolves with the code of the close frame when the connection has ended, whoever ended it. */
  readonly closed: Promise<number>;
}

const CONNECT_WITHIN_MS = 8_000;

/** `ws` would wait 30 s for a server that does not answer the close frame, and keep the process running. */
const CLOSE_WITHIN_MS = 2_000;

/**
 * Opens a WebSocket.
 * @throws HandshakeRefused, or Error when nothing answers
 */
export async function openSocket({ url, ca, token, hear }: SocketRequest): Promise<OpenSocket> {
  const socket = new WebSocket(url, {
    handshakeTimeout: CONNECT_WITHIN_MS,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    ...(ca && { ca: [...ca] }),
  });
  socket.on('message', (data: Buffer) => hear(data.toString()));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    // Stays: what goes wrong later ends in a close.
    socket.on('error', reject);
    socket.once('unexpected-response', (request, { statusCode = 0 }) => {
      request.destroy();
      reject(new HandshakeRefused(statusCode));
    });
  });
  const close = () => {
    socket.close();
    setTimeout(() => socket.terminate(), CLOSE_WITHIN_MS).unref();
  };
  return { send: (message) => socket.send(JSON.stringify(message)), close, closed };
}
