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
export const MAX_FRAME_BYTES = 32 * 1024;
