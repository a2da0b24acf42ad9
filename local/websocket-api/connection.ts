/** One open socket: messages to the functions, messages to the client, and an end that happens once. */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { ConnectionFacts } from './events';
import { watchFrames } from './frame-limit';
import { MAX_FRAME_BYTES, type WebSocketLimits } from './limits';

export interface Connection {
  readonly facts: ConnectionFacts;
  /** Milliseconds since 1970. */
  readonly lastActiveAt: number;
  /** Sends a text message; false when too much waits already for a client that does not read. */
  post(text: string | Buffer): boolean;
  /** Says goodbye with this code (RFC 6455, section 7.4), does not wait for the client's answer. */
  close(code: number, reason: string): void;
}

export interface ConnectionEvents {
  /** A message came in; resolves with what the client is to be sent. Never rejects. */
  onMessage(text: string): Promise<string | undefined>;
  /** The connection is over, whoever ended it. Called once. */
  onEnd(code: number, reason: string): void;
}

/** Runs a connection whose handshake is done; `transport` is the stream below `socket`. */
export function openConnection(
  facts: ConnectionFacts,
  { socket, transport }: { readonly socket: WebSocket; readonly transport: Duplex },
  limits: WebSocketLimits,
  events: ConnectionEvents,
): Connection {
  const waiting: string[] = [];
  let inFlight = 0;
  let ended = false;
  let lastActiveAt = Date.now();
  let failure: number | undefined;
  const idle = setTimeout(() => close(1001, 'Going away'), limits.idleMs);
  const duration = setTimeout(() => close(1001, 'Going away'), limits.durationMs);

  function end(code: number, reason: string): void {
    if (ended) return;
    ended = true;
    clearTimeout(idle);
    clearTimeout(duration);
    waiting.length = 0;
    events.onEnd(code, reason);
  }

  function close(code: number, reason: string): void {
    end(code, reason);
    socket.resume();
    socket.close(code, code === 1000 ? '' : reason);
  }

  function active(): void {
    lastActiveAt = Date.now();
    idle.refresh();
  }

  function post(text: string | Buffer): boolean {
    if (socket.bufferedAmount > limits.bufferedBytes) return false;
    active();
    socket.send(text, { binary: false }, ignoreFailure);
    return true;
  }

  /** Works on as many messages as may be worked on, and lets the client wait while some are left. */
  function work(): void {
    while (waiting.length > 0 && inFlight < limits.messagesInFlight) {
      inFlight += 1;
      void answer(waiting.shift() ?? '');
    }
    if (ended) return;
    if (waiting.length > 0) socket.pause();
    else if (socket.isPaused) socket.resume();
  }

  async function answer(text: string): Promise<void> {
    const reply = await events.onMessage(text);
    inFlight -= 1;
    if (reply !== undefined && !ended) post(reply);
    work();
  }

  watchFrames(transport, MAX_FRAME_BYTES, () => close(1009, 'Message too long'));
  socket.on('message', (data, isBinary) => {
    if (ended) return;
    // "API Gateway WebSocket APIs don't currently support binary frames" (developer guide, "Binary media types").
    if (isBinary) {
      close(1003, 'Binary is not supported');
      return;
    }
    active();
    waiting.push(textOf(data));
    work();
  });
  socket.on('error', (error) => (failure = closeCodeOf(error)));
  socket.on('close', (code, reason) => end(failure ?? code, reason.toString() || (reasons[failure ?? code] ?? '')));

  return {
    facts,
    get lastActiveAt() {
      return lastActiveAt;
    },
    post,
    close,
  };
}

/** What API Gateway says of an end for which the client gave no reason. */
const reasons: Readonly<Record<number, string>> = {
  1000: 'Connection Closed Normally',
  1001: 'Going away',
  1005: 'Client-side close frame status not set',
  1006: 'Connection Closed Abnormally',
};

/** The code with which `ws` answers what is no WebSocket message. */
function closeCodeOf(error: Error): number {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return 1009;
  if (code === 'WS_ERR_INVALID_UTF8') return 1007;
  return typeof code === 'string' && code.startsWith('WS_ERR_') ? 1002 : 1006;
}

function textOf(data: Buffer | ArrayBuffer | Buffer[]): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return (Buffer.isBuffer(data) ? data : Buffer.from(data)).toString('utf8');
}

/** A socket that ends while it is written to says so by its `close`. */
function ignoreFailure(): void {}
