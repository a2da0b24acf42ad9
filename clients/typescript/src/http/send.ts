import { connectionError, notTheApi } from '../connection-problem.ts';
import { ConnectionError } from '../errors.ts';
import { anySignal, retryAfterIn, sleep, waitBefore } from '../waiting.ts';

/** A request that can be sent more than once. */
interface RepeatableRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | ArrayBuffer | undefined;
  readonly signal: AbortSignal | null;
}

/** The function that sends requests: `fetch`, or one with its signature. */
type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Statuses whose response has no body. */
const BODILESS = [204, 304];

/**
 * Sends a request once and reads its answer to the end.
 * @returns the answer, whose body is JSON, or of a media type that the request accepts
 * @throws ConnectionError without an answer of this API; the reason of the request's signal
 */
async function exchange(fetch: Fetch, request: RepeatableRequest, timeoutMs: number): Promise<Response> {
  const { method, url, headers, body, signal } = request;
  try {
    const limits = anySignal(signal, AbortSignal.timeout(timeoutMs));
    const response = await fetch(url, { method, headers, signal: limits, ...(body !== undefined && { body }) });
    const content = await response.arrayBuffer();
    const { status } = response;
    if (isFromAnotherServer(response, content, headers.get('accept'))) throw notTheApi(url, 'baseUrl');
    return new Response(BODILESS.includes(status) ? null : content, { status, headers: response.headers });
  } catch (error) {
    signal?.throwIfAborted();
    throw isOurs(error) ? error : connectionError(error, url, 'baseUrl');
  }
}

const isOurs = (error: unknown) => error instanceof Error && error.name === 'ConnectionError';

/**
 * Every answer of the API is JSON, or what the request accepts; of what stands before it only errors may be something else.
 * @param accept the media types that the request accepts, if it names any
 */
function isFromAnotherServer({ status, headers }: Response, content: ArrayBuffer, accept: string | null): boolean {
  if (status >= 500 || status === 429) return false;
  const [mediaType = ''] = headers.get('content-type')?.split(';') ?? [];
  if (accept?.split(', ').includes(mediaType)) return false;
  try {
    JSON.parse(new TextDecoder().decode(content));
    return false;
  } catch {
    return !/^application\/json\b/.test(headers.get('content-type') ?? '') || status < 300;
  }
}

/** How requests are sent. */
export interface SendingRules {
  readonly fetch: Fetch;
  /** Limit of one attempt. */
  readonly timeoutMs: number;
  /** Number of further attempts. */
  readonly maxRetries: number;
}

/** The longest wait that `Retry-After` may ask for: limits of the API count by the minute. */
const LONGEST_RETRY_AFTER_MS = 90_000;

/**
 * How long after its call a command may be sent again, in ms: it is meant for the flight as it was then. That is also the time
 * in which the drone platform must begin it.
 */
const COMMAND_WITHIN_MS = 10_000;

const UNAVAILABLE = [500, 502, 503, 504];

/**
 * Whether it does no harm to carry out a request twice: a read, a create with an idempotency key, a change that holds for
 * one version only, a replacement, a request for a token. A create without a key would create twice. A delete or cancel
 * is none: its repeat would be refused although the first one succeeded.
 */
const isRepeatable = ({ method, url, headers }: RepeatableRequest): boolean =>
  method === 'GET' ||
  method === 'PUT' ||
  headers.has('idempotency-key') ||
  (method === 'PATCH' && headers.has('if-match')) ||
  new URL(url).pathname.endsWith('/v3/auth/token');

const isCommand = ({ method, url }: RepeatableRequest): boolean =>
  method === 'POST' && new URL(url).pathname.endsWith('/commands');

/** Whether another attempt may succeed and does no harm. A request that was refused or never arrived may always be repeated. */
function mayRepeat(request: RepeatableRequest, outcome: Response | ConnectionError): boolean {
  if (outcome instanceof Response)
    return outcome.status === 429 || (UNAVAILABLE.includes(outcome.status) && isRepeatable(request));
  switch (outcome.problem) {
    case 'refused':
    case 'unreachable':
      return true;
    case 'timeout':
    case 'interrupted':
      return isRepeatable(request);
    default:
      return false;
  }
}

/**
 * Sends a request, and again after a failure where a repeat is safe: at growing intervals with jitter, or when `Retry-After`
 * says; a command for ten seconds only. A repeat has the same idempotency key.
 * @returns the last answer, also when it is an error
 * @throws ConnectionError of the last attempt; the reason of the request's signal
 */
export async function send(request: RepeatableRequest, rules: SendingRules): Promise<Response> {
  const latest = isCommand(request) ? performance.now() + COMMAND_WITHIN_MS : Infinity;
  for (let attempt = 1; ; attempt++) {
    const outcome = await exchange(rules.fetch, request, rules.timeoutMs).catch((error: unknown) => {
      if (error instanceof ConnectionError) return error;
      throw error;
    });
    const retryAfterMs = outcome instanceof Response ? retryAfterIn(outcome.headers.get('retry-after')) : undefined;
    const waitMs = waitBefore(attempt, retryAfterMs);
    const isLast =
      attempt > rules.maxRetries || (retryAfterMs ?? 0) > LONGEST_RETRY_AFTER_MS || performance.now() + waitMs > latest;
    if (isLast || !mayRepeat(request, outcome)) {
      if (outcome instanceof ConnectionError) throw outcome;
      return outcome;
    }
    await sleep(waitMs, request.signal ?? undefined);
  }
}
