/** Pause before the first repeated request of a tile, in ms. */
const FIRST_PAUSE_MS = 5000;
/** The pauses grow no longer than this, in ms. */
const MAX_PAUSE_MS = 300_000;
/** Part of the pause by which it may be longer, so that tiles that failed together aren't asked for together. */
const JITTER = 0.25;

/**
 * The pause before a tile is asked for again: doubled for each failure.
 * @param failures of this tile before the present one
 * @param random from 0 to 1
 * @returns ms
 */
export function tileRetryPause(failures: number, random: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS) * (1 + JITTER * random);
}
