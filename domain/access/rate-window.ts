/** Calls are counted in fixed windows of the clock of this length, in seconds (spec section 8). */
export const RATE_WINDOW_S = 60;

/** The window that a time is in, from `start` up to but without `end`; all in Unix seconds. */
export function rateWindow(seconds: number): { readonly start: number; readonly end: number } {
  const start = Math.floor(seconds / RATE_WINDOW_S) * RATE_WINDOW_S;
  return { start, end: start + RATE_WINDOW_S };
}

/** Calls that were counted in the window that begins at `start`, Unix seconds. */
export interface Counted {
  readonly start: number;
  readonly calls: number;
}

/**
 * Counts one more call at a time, in Unix seconds.
 * @returns undefined when its window has had as many as it may
 */
export function countIn(counted: Counted | undefined, limit: number, seconds: number): Counted | undefined {
  const { start } = rateWindow(seconds);
  const calls = counted?.start === start ? counted.calls : 0;
  return calls < limit ? { start, calls: calls + 1 } : undefined;
}
