/** Waits, and ends early with the signal's reason. @throws the reason of the signal */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const aborted = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }, ms);
    signal?.addEventListener('abort', aborted, { once: true });
  });
}

/** A promise that several callers wait for, for one of them: it alone stops waiting when its signal is aborted. */
export async function untilAborted<Value>(promise: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (!signal) return promise;
  signal.throwIfAborted();
  let aborted: (() => void) | undefined;
  try {
    return await Promise.race([
      promise,
      new Promise<never>((_, reject) => {
        aborted = () => reject(signal.reason as Error);
        signal.addEventListener('abort', aborted);
      }),
    ]);
  } finally {
    if (aborted) signal.removeEventListener('abort', aborted);
  }
}

/** A signal that follows any of those given. */
export const anySignal = (...signals: readonly (AbortSignal | null | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((signal) => signal !== null && signal !== undefined));

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
