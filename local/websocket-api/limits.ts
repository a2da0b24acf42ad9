/** API Gateway developer guide, "Quotas for configuring and running a WebSocket API", and two bounds of our own. */
export interface WebSocketLimits {
  /** New connections a second, of all APIs together; more are refused with 429. */
  readonly connectionsPerSecond: number;
  /** A connection over which nothing was said for so long is closed. */
  readonly idleMs: number;
  /** A connection is closed after so long, whatever it does. */
  readonly durationMs: number;
  /** Messages of one connection that functions work on at once; further ones wait, and then the client does. */
  readonly messagesInFlight: number;
  /** Bytes that may wait for a client that does not read. AWS has such a bound and does not tell it. */
  readonly bufferedBytes: number;
}

export const DEFAULT_LIMITS: WebSocketLimits = {
  connectionsPerSecond: 500,
  idleMs: 10 * 60_000,
  durationMs: 2 * 60 * 60_000,
  messagesInFlight: 16,
  bufferedBytes: 256 * 1024,
};

/** One message in either direction, in one frame or many. */
export const MAX_MESSAGE_BYTES = 128 * 1024;

/** One frame of a client. */
export const MAX_FRAME_BYTES = 32 * 1024;
