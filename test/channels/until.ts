import { setTimeout as pause } from 'node:timers/promises';

/** Ends a test that hangs; a busy machine needs a while. */
const TIMEOUT_MS = 60_000;
/** After this time, something that must not happen counts as not happening. */
const QUIET_MS = 400;

/**
 * Polls `look` until it returns a value.
 * @param known details for the error message
 * @param timeoutMs default: a minute
 * @throws Error that names `what` did not happen
 */
export async function until<Found>(
  what: string,
  look: () => Found | undefined | Promise<Found | undefined>,
  known?: () => unknown,
  timeoutMs = TIMEOUT_MS,
): Promise<Found> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`${what} did not happen: ${JSON.stringify(known?.())}`);
    await pause(5);
  }
}

/** Waits until the positions of a job that has just changed are published, which begin a second after the change. */
export const untilPositionsBegin = () => pause(1000);

/** Waits long enough to notice something that must not happen. */
export const quiet = () => pause(QUIET_MS);
