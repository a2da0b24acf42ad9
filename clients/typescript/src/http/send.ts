import { sleep } from '../abort.ts';
import { retryAfterIn, waitBefore } from '../backoff.ts';
import { ConnectionError } from '../errors.ts';
import { exchange, type Fetch, type RepeatableRequest } from './exchange.ts';

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
 * one version only, a replacement, a request for a token. A create without a key would create twice. A delete or cancel is none: its repeat would be refused although the first one succeeded.
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
