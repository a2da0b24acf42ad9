/** A field of the request that was refused, and why. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

/** Every error that the client itself throws. Its message is one line that says what is wrong and what to do. */
export class DroneMissionError extends Error {
  override readonly name: string = 'DroneMissionError';
}

/** What the service said when it refused a request, a handshake or a message. */
export interface RefusalFacts {
  /** HTTP status of the answer; 0 for a message on an open WebSocket, which has none. */
  readonly status: number;
  /** `error` of the answer: a text such as `Job not found`, or the code of an OAuth error. */
  readonly error: string;
  /** `code` of an error over a WebSocket; rely on it instead of the text. */
  readonly code?: string | undefined;
  /** Each wrong field of a request that is invalid. */
  readonly details?: readonly ErrorDetail[] | undefined;
  /** `x-request-id`: name it when you ask for support. */
  readonly requestId?: string | undefined;
  /** When the service allows the next attempt, in ms from now. */
  readonly retryAfterMs?: number | undefined;
  /** Of samples that were published together: how many were accepted although others were refused. */
  readonly accepted?: number | undefined;
}

/** Most fields that a message names, so that it stays a readable line; `details` has all. */
const MAX_NAMED = 20;

/** The service refused a request, the handshake of a channel, or a message on a WebSocket. */
export class ApiError extends DroneMissionError {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly error: string;
  readonly code: string | undefined;
  readonly details: readonly ErrorDetail[];
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly accepted: number | undefined;

  /**
   * @param request what was refused, without identifiers: a share code is a secret
   * @param hint what to do about it
   */
  constructor(
    readonly request: string,
    { status, error, code, details = [], requestId, retryAfterMs, accepted }: RefusalFacts,
    hint?: string,
  ) {
    const named = details.slice(0, MAX_NAMED).map(({ path, message }) => (path ? `${path} ${message}` : message));
    const fields = [...named, ...(details.length > MAX_NAMED ? [`and ${details.length - MAX_NAMED} more`] : [])].join(
      '; ',
    );
    const what = `${request} was refused${status ? ` with ${status}` : ''}: ${error}${fields && ` (${fields})`}`;
    super(`${what}${hint ? `. ${hint}` : ''}${requestId ? ` [request ${requestId}]` : ''}`);
    this.status = status;
    this.error = error;
    this.code = code;
    this.details = details;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
    this.accepted = accepted;
  }
}

/**
 * Why the service could not be reached:
 * `host-not-found`, `refused` (nothing answers there), `unreachable`, `certificate`, `no-tls`, `timeout`, `interrupted` (the
 * connection broke, and the request may have been carried out), `not-the-api` (something else answers there).
 */
export type ConnectionProblem =
  | 'host-not-found'
  | 'refused'
  | 'unreachable'
  | 'certificate'
  | 'no-tls'
  | 'timeout'
  | 'interrupted'
  | 'not-the-api';

/** The service could not be reached, or the connection to it broke. */
export class ConnectionError extends DroneMissionError {
  override readonly name = 'ConnectionError';

  constructor(
    readonly problem: ConnectionProblem,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
