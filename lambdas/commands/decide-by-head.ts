import { setTimeout as pause } from 'node:timers/promises';
import { readHead, type Head } from '../../data/commands/command-head';
import { Refusal } from '../../domain/values/refusal';

/**
 * How often it is decided again, since the device got a command or another holder meanwhile, and the longest pause
 * before it, in ms. What keeps the drone from harm tries more often and sooner, so that it comes through among forty
 * others.
 */
const usual = { attempts: 10, longestPauseMs: 200 };
const forStops = { attempts: 60, longestPauseMs: 20 };
/**
 * After how long nothing is tried again, in ms. The caller gets an answer before the function ends. A command must
 * begin within ten seconds.
 */
const GIVE_UP_AFTER_MS = 7000;
/**
 * The longest pause before the second attempt, in ms; each pause is of random length, and up to twice as long as the
 * one before. Without it those who lose a race meet again in the next one (AWS Architecture Blog, "Exponential Backoff
 * And Jitter").
 */
const FIRST_PAUSE_MS = 5;

/**
 * Decides about a device by the head of its commands, and again when that was written meanwhile.
 * @param attempt decides and writes; undefined: the head is not as it was read
 * @param isStop whether what is decided keeps the drone from harm
 * @throws Refusal `too_many_requests` when others keep commanding the device
 */
export async function decideByHead<Result>(
  deviceId: string,
  attempt: (head: Head) => Promise<Result | undefined>,
  isStop = false,
): Promise<Result> {
  const { attempts, longestPauseMs } = isStop ? forStops : usual;
  const begun = performance.now();
  for (let count = 0; count < attempts; count++) {
    if (count > 0) await pause(Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** (count - 1), longestPauseMs));
    const result = await attempt(await readHead(deviceId));
    if (result !== undefined) return result;
    if (performance.now() - begun > GIVE_UP_AFTER_MS) break;
  }
  throw new Refusal('too_many_requests');
}
