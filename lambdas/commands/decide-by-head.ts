import { setTimeout as pause } from 'node:timers/promises';
import { type Head, readHead } from '../../data/commands/command-head';
import { type Asking, type ControlLease, isOver, keepsOut } from '../../domain/commands/control-lease';
import { Refusal } from '../../domain/values/refusal';
import { readShare } from '../../data/shares/shares';

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

/** Who decides about a device. */
interface Decision {
  readonly deviceId: string;
  /** Undefined: somebody whom no lease keeps from it. */
  readonly asking?: Asking;
  /** ISO 8601. */
  readonly now: string;
  /** Whether what is decided keeps the drone from harm. */
  readonly isStop?: boolean;
}

/**
 * Decides about a device by the head of its commands, and again when that was written meanwhile.
 * @param attempt decides by the head and the lease that whoever asks has to reckon with, and writes; undefined: the
 *   head is not as it was read
 * @throws Refusal `too_many_requests` when others keep commanding the device
 */
export async function decideByHead<Result>(
  { deviceId, asking, now, isStop = false }: Decision,
  attempt: (head: Head, lease: ControlLease | undefined) => Promise<Result | undefined>,
): Promise<Result> {
  const { attempts, longestPauseMs } = isStop ? forStops : usual;
  const begun = performance.now();
  for (let count = 0; count < attempts; count++) {
    if (count > 0) await pause(Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** (count - 1), longestPauseMs));
    const head = await readHead(deviceId);
    const { control } = head;
    // Nobody whom it does not keep from anything reads its share.
    const lease = control && asking && keepsOut(control, asking) ? await inForce(control, now) : control;
    const result = await attempt(head, lease);
    if (result !== undefined) return result;
    if (performance.now() - begun > GIVE_UP_AFTER_MS) break;
  }
  throw new Refusal('too_many_requests');
}

/** A lease unless it is over: not renewed in time, or its share has ended, which is read at this moment. @param now ISO 8601 */
export async function inForce(control: ControlLease | undefined, now: string): Promise<ControlLease | undefined> {
  if (!control || isOver(control, now)) return undefined;
  const hasEnded = control.shareCode !== undefined && !(await readShare(control.shareCode, now));
  return hasEnded ? undefined : control;
}
