import type { Answer } from '../client/rest-client';

/** The outcome of a step differs from the expected one. */
export class Unexpected extends Error {
  override readonly name = 'Unexpected';

  constructor(expected: string, actual: string) {
    super(`expected ${expected}, got ${actual}`);
  }
}

/**
 * A step needs the result of an earlier one that failed, or a scope that no client given has: it says nothing about the
 * service.
 */
export class MissingPrerequisite extends Error {
  override readonly name = 'Missing';
}

/** Reason of a signal that aborts after a timeout. */
export class TimedOut extends Error {
  override readonly name = 'TimeoutError';
}

/** Status and body, as one line. */
export const inOneLine = ({ status, body }: Answer): string => `${status} ${JSON.stringify(body) || 'without a body'}`;

/** Why no answer came, in one line. */
export function reasonOf(error: unknown): string {
  if (!isError(error)) return String(error);
  if (error.name === 'TimeoutError') return 'no answer in time';
  const cause = isError(error.cause) ? error.cause : error;
  // undici's message is `fetch failed` or empty: the code is more specific.
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  return [code, cause.message.split('\n')[0]].find(Boolean) ?? error.name;
}

/** Node's own errors belong to another realm in a test. */
const isError = (value: unknown): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
