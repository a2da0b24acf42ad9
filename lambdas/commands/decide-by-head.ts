import { setTimeout as pause } from 'node:timers/promises';
import { readHead, type Head } from '../../data/commands/command-head';
import { Refusal } from '../../domain/refusal';

/** How often it is decided again, since the device got a command or another holder meanwhile. */
const MAX_ATTEMPTS = 10;
/**
 * The longest pause before the second attempt, in ms; each pause is of random length, and up to twice as long as the one before. Without it
 * those who lose a race meet again in the next one (AWS Architecture Blog, "Exponential Backoff And Jitter").
 */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 200;

/**
 * Decides about a device by the head of its commands, and again when that was written meanwhile.
 * @param attempt decides and writes; undefined: the head is not as it was read
 * @throws Refusal `too_many_requests` when others keep commanding the device
 */
export async function decideByHead<Result>(
  deviceId: string,
  attempt: (head: Head) => Promise<Result | undefined>,
): Promise<Result> {
  for (let count = 0; count < MAX_ATTEMPTS; count++) {
    if (count > 0) await pause(Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** (count - 1), LONGEST_PAUSE_MS));
    const result = await attempt(await readHead(deviceId));
    if (result !== undefined) return result;
  }
  throw new Refusal('too_many_requests');
}
