import { ConnectionError } from './errors.ts';

/** A handshake of a browser has failed, which does not say why: the service may have refused it. */
export class UnexplainedFailure extends ConnectionError {}

/** How a WebSocket is opened. */
export interface SocketRequest {
  /** `wss://…` with path and query, without a token. */
  readonly url: string;
  /** Access token; none for a viewer, whose query has a share code. */
  readonly token?: string | undefined;
  /** Subprotocols to offer. */
  readonly protocols?: readonly string[];
  /** What is opened, for error messages; without identifiers. */
  readonly subject: string;
  /** Ends the handshake. */
  readonly signal: AbortSignal;
  /** Gets the text of each message, from the first one. */
  readonly onMessage: (text: string) => void;
}

/** An open WebSocket. */
export interface Socket {
  /** The subprotocol that the service has selected; empty without one. */
  readonly protocol: string;
  /** Does nothing once the socket is closed. */
  send(text: string): void;
  /** Closes, in a moment even if the other side does not answer. */
  close(): void;
  /** Resolves when the socket has closed, for whatever reason. */
  readonly closed: Promise<void>;
}

/**
 * Opens a WebSocket.
 * @throws ApiError when the handshake is refused with a status, ConnectionError without an answer, the reason of the signal
 */
export type OpenSocket = (request: SocketRequest) => Promise<Socket>;

/** Limit of a handshake, in ms. */
export const HANDSHAKE_TIMEOUT_MS = 15_000;
