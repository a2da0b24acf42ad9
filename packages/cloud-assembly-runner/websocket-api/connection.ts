/** One open WebSocket: passes client messages to functions, posts messages to the client, and ends exactly once. */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { ConnectionFacts } from './events';

export interface Connection {
  readonly facts: ConnectionFacts;
  /** In Unix ms. */
  readonly lastActiveAt: number;
  /** Sends a text message. @returns false when the buffer for a client that does not read is full */
  post(text: string | Buffer): boolean;
  /** Sends a close frame with this code (RFC 6455, section 7.4) and does not wait for the client's. */
  close(code: number, reason: string): void;
}

export interface ConnectionEvents {
  /** Processes a client message; resolves with the response for the client. Never rejects. */
  onMessage(text: string): Promise<string | undefined>;
  /** Called once when either side has ended the connection. */
  onEnd(code: number, reason: string): void;
}

/** Runs a connection after its handshake; `transport` is the stream below `socket`. */
export function openConnection(
  facts: ConnectionFacts,
  { socket, transport }: { readonly socket: WebSocket; readonly transport: Duplex },
  limits: WebSocketLimits,
  events: ConnectionEvents,
): Connection {
  const queue: string[] = [];
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
    queue.length = 0;
    events.onEnd(code, reason);
  }

  function close(code: number, reason: string): void {
    end(code, reason);
    socket.resume();
    socket.close(code, code === 1000 ? '' : reason);
  }

  function resetIdleTimer(): void {
    lastActiveAt = Date.now();
    idle.refresh();
  }

  function post(text: string | Buffer): boolean {
    if (socket.bufferedAmount > limits.bufferedBytes) return false;
    resetIdleTimer();
    socket.send(text, { binary: false }, ignoreFailure);
    return true;
  }

  /** Processes queued messages up to the limit in flight, and pauses the socket while some remain. */
  function processQueue(): void {
    while (queue.length > 0 && inFlight < limits.messagesInFlight) {
      inFlight += 1;
      void handleMessage(queue.shift() ?? '');
    }
    if (ended) return;
    if (queue.length > 0) socket.pause();
    else if (socket.isPaused) socket.resume();
  }

  async function handleMessage(text: string): Promise<void> {
    const reply = await events.onMessage(text);
    inFlight -= 1;
    if (reply !== undefined && !ended) post(reply);
    processQueue();
  }

  watchFrames(transport, MAX_FRAME_BYTES, () => close(1009, 'Message too long'));
  socket.on('message', (data, isBinary) => {
    if (ended) return;
    // "API Gateway WebSocket APIs don't currently support binary frames" (developer guide, "Binary media types").
    if (isBinary) {
      close(1003, 'Binary is not supported');
      return;
    }
    resetIdleTimer();
    queue.push(textOf(data));
    processQueue();
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

/** API Gateway's reason when the client gave none. */
const reasons: Readonly<Record<number, string>> = {
  1000: 'Connection Closed Normally',
  1001: 'Going away',
  1005: 'Client-side close frame status not set',
  1006: 'Connection Closed Abnormally',
};

/** The close code that `ws` sends for a protocol error. */
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

/** A failed write needs no handling: the socket emits `close`. */
function ignoreFailure(): void {}

/** API Gateway developer guide, "Quotas for configuring and running a WebSocket API", and two limits of our own. */
export interface WebSocketLimits {
  /** New connections per second of all APIs together; more are refused with 429. */
  readonly connectionsPerSecond: number;
  /** Idle time after which a connection is closed. */
  readonly idleMs: number;
  /** Maximum duration of a connection. */
  readonly durationMs: number;
  /** Messages of one connection that functions process at a time; further ones wait, and the socket is paused. */
  readonly messagesInFlight: number;
  /** Maximum unsent bytes for a client that does not read. AWS does not publish its limit. */
  readonly bufferedBytes: number;
}

export const DEFAULT_LIMITS: WebSocketLimits = {
  connectionsPerSecond: 500,
  idleMs: 10 * 60_000,
  durationMs: 2 * 60 * 60_000,
  messagesInFlight: 16,
  bufferedBytes: 256 * 1024,
};

/** Maximum message in either direction, in one or more frames. */
export const MAX_MESSAGE_BYTES = 128 * 1024;

/** Maximum frame of a client. */
const MAX_FRAME_BYTES = 32 * 1024;

/**
 * Calls `onTooLong` once when an incoming frame's header has a payload length over `limitBytes` (RFC 6455, section 5.2),
 * before other listeners of `source` receive the frame. `ws` limits messages only, not frames.
 */
export function watchFrames(source: Duplex, limitBytes: number, onTooLong: () => void): void {
  const header = Buffer.alloc(14);
  let headerBytes = 0;
  let payloadLeft = 0;

  const watch = (chunk: Buffer): void => {
    let at = 0;
    while (at < chunk.length) {
      if (payloadLeft > 0) {
        const step = Math.min(payloadLeft, chunk.length - at);
        payloadLeft -= step;
        at += step;
        continue;
      }
      header[headerBytes++] = chunk[at++] ?? 0;
      if (headerBytes < 2 || headerBytes < headerLength(header)) continue;
      headerBytes = 0;
      payloadLeft = payloadLength(header);
      if (payloadLeft <= limitBytes) continue;
      source.removeListener('data', watch);
      onTooLong();
      return;
    }
  };
  source.prependListener('data', watch);
}

/** Two bytes, extended length, masking key. */
function headerLength(header: Buffer): number {
  const second = header.readUInt8(1);
  const short = second & 0x7f;
  return 2 + (short === 127 ? 8 : short === 126 ? 2 : 0) + (second & 0x80 ? 4 : 0);
}

function payloadLength(header: Buffer): number {
  const short = header.readUInt8(1) & 0x7f;
  if (short < 126) return short;
  return short === 126 ? header.readUInt16BE(2) : Number(header.readBigUInt64BE(2));
}
