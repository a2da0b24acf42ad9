import { ApiError, ConnectionError, type ConnectionProblem } from '../errors.ts';

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
