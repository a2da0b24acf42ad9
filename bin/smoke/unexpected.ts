import type { Answer } from '../client/rest';

/** Something else came than was expected. */
export class Unexpected extends Error {
  override readonly name = 'Unexpected';

  constructor(expected: string, came: string) {
    super(`expected ${expected}, came ${came}`);
  }
}

/** A step needs what an earlier one did not give, so that it says nothing about the service itself. */
export class Missing extends Error {
  override readonly name = 'Missing';
}

/** The reason of a signal that aborts since something took too long. */
export class TookTooLong extends Error {
  override readonly name = 'TimeoutError';
}

/** Status and body, as one line. */
export const inOneLine = ({ status, body }: Answer): string => `${status} ${JSON.stringify(body) || 'without a body'}`;

/** Why no answer came, in a few words. */
export function reasonOf(error: unknown): string {
  if (!isError(error)) return String(error);
  if (error.name === 'TimeoutError') return 'no answer in time';
  const cause = isError(error.cause) ? error.cause : error;
  // undici says `fetch failed`, and others at times nothing: the code tells.
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  return [code, cause.message.split('\n')[0]].find(Boolean) ?? error.name;
}

/** Node's own errors are of another realm in a test. */
const isError = (value: unknown): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
