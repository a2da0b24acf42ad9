/** Limits of the wait before a further attempt, in ms. */
const FIRST_MS = 250;
const LONGEST_MS = 30_000;
/** Spread after a wait that the service has named, so that its clients don't all return at the same moment. */
const SPREAD_MS = 500;

/**
 * How long to wait before a further attempt, in ms: at random up to a limit that doubles with each attempt ("full jitter"),
 * or as long as the service asked, and a little more.
 * @param failures number of attempts that have failed, from 1
 * @param retryAfterMs `Retry-After` of the answer
 */
export function waitBefore(failures: number, retryAfterMs?: number): number {
  if (retryAfterMs !== undefined) return retryAfterMs + Math.random() * SPREAD_MS;
  return Math.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** failures);
}

/** `Retry-After` in ms: seconds or an HTTP date (RFC 9110 section 10.2.3). @returns undefined without a valid one */
export function retryAfterIn(value: string | null | undefined): number | undefined {
  if (!value) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
