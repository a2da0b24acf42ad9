import { retryAfterIn } from './waiting.ts';

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

/** `{"type":"error"}`, the answer to a message that the service refuses. */
export interface ErrorMessage {
  readonly type: 'error';
  readonly code: string;
  readonly error: string;
  readonly details?: readonly ErrorDetail[];
  readonly requestId?: string;
}

/** The error for a message that the service has refused. */
export const refusalOfMessage = (subject: string, { code, error, details, requestId }: ErrorMessage): ApiError =>
  new ApiError(subject, { status: 0, error, code, details, requestId });

/** Codes of refusals over a WebSocket that another attempt may change. */
const TEMPORARY_CODES = ['internal_error', 'too_many_requests'];

/** Problems of an address that another attempt can't solve. */
const PERMANENT: readonly ConnectionProblem[] = ['certificate', 'no-tls', 'not-the-api'];

/**
 * Whether another attempt may succeed: after a limit, an error of the service, or a broken connection.
 * @param hasConnected whether the address has worked before: then its host is missing only for a moment
 */
export function isTemporary(error: unknown, hasConnected: boolean): boolean {
  if (error instanceof ConnectionError)
    return !PERMANENT.includes(error.problem) && (hasConnected || error.problem !== 'host-not-found');
  if (!(error instanceof ApiError)) return false;
  const { status, code = '' } = error;
  return status === 0 ? TEMPORARY_CODES.includes(code) : status === 429 || status >= 500;
}

/** Body of an error: of a resource endpoint, or of the token endpoint (RFC 6749 section 5.2). */
interface ErrorBody {
  readonly error?: string;
  readonly error_description?: string;
  readonly details?: readonly ErrorDetail[];
  readonly message?: string;
}

/** The text of a refusal without a body, such as that of a handshake, by status. */
const texts: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  429: 'Too many requests',
};

/** What to do about a refusal whose answer does not say more than its status does. */
const hints: Readonly<Record<number, string>> = {
  401: 'Check that the token was issued by this deployment and has not expired',
  403: 'The client lacks the scope, or the resource belongs to another organisation',
  404: 'It does not exist (any more), or the identifier is wrong',
  412: 'The job has changed since that version: read it again',
  429: 'The limit of the client is used up: wait before you call again',
};

/** The JSON in an error's body; nothing in what is not JSON. */
function errorBodyOf(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

/** What the service answered. */
interface RefusedAnswer {
  readonly status: number;
  readonly header: (name: string) => string | null | undefined;
  readonly text: string;
}

/**
 * The error for an answer that is not a success.
 * @param request what was refused, without identifiers
 * @param hint what to do about it; by default what the status suggests, unless the answer has details
 */
export function refusal(request: string, { status, header, text }: RefusedAnswer, hint?: string): ApiError {
  const { error, error_description: description, details, message } = errorBodyOf(text);
  const said = details ?? (description === undefined ? [] : [{ path: '', message: description }]);
  const facts = {
    status,
    error: error ?? message ?? texts[status] ?? 'no text',
    details: said,
    requestId: header('x-request-id') ?? undefined,
    retryAfterMs: retryAfterIn(header('retry-after')),
  };
  return new ApiError(request, facts, hint ?? (said.length > 0 ? undefined : hints[status]));
}

/** The same for a response whose body is unread. */
export const refusalIn = async (request: string, response: Response, hint?: string): Promise<ApiError> =>
  refusal(
    request,
    { status: response.status, header: (name) => response.headers.get(name), text: await response.text() },
    hint,
  );
