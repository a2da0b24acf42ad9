/** Calls are counted in fixed windows of the clock of this length, in seconds (spec section 8). */
export const RATE_WINDOW_S = 60;

/** The window that a time is in, from `start` up to but without `end`; all in Unix seconds. */
export function rateWindow(seconds: number): { readonly start: number; readonly end: number } {
  const start = Math.floor(seconds / RATE_WINDOW_S) * RATE_WINDOW_S;
  return { start, end: start + RATE_WINDOW_S };
}
