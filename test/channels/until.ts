import { setTimeout as pause } from 'node:timers/promises';

/** How long something may take until it happens, and how long what must not happen is waited for, in ms. */
const PATIENCE = 20_000;
const QUIET = 400;

/**
 * Waits until `look` finds something.
 * @param known what is told when it doesn't
 * @param patience for how long, in ms
 * @returns what it found
 * @throws Error that says what did not happen
 */
export async function until<Found>(
  what: string,
  look: () => Found | undefined | Promise<Found | undefined>,
  known?: () => unknown,
  patience = PATIENCE,
): Promise<Found> {
  const deadline = Date.now() + patience;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`${what} did not happen: ${JSON.stringify(known?.())}`);
    await pause(5);
  }
}

/** Long enough for what must not happen to have happened. */
export const quiet = () => pause(QUIET);
