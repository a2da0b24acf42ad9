/**
 * Whether the clock of a device differs from this service's. A sample takes a while to arrive, and one that was kept
 * takes longer; so a difference counts only when all messages of a minute have it.
 */
import { sampleSequence, type Sample } from './sample';

/** For how long each message must have the difference, in ms. */
const FOR_MS = 60_000;
/** How much it may vary around its middle, in ms; a smaller difference is none. */
const TOLERANCE_MS = 5000;

/** The differences of the messages of a device, in ms: positive when its clock is behind. */
export interface ClockWatch {
  /** When the first message with about this difference was received, Unix ms. */
  readonly since: number;
  readonly least: number;
  readonly most: number;
}

/**
 * What is known of a device's clock after a further message.
 * @param before undefined at the first message
 * @param newest sample of the message
 * @param now when it was received
 */
export function watchClock(before: ClockWatch | undefined, newest: Sample, now: Date): ClockWatch {
  const difference = now.getTime() - sampleSequence(newest);
  const least = Math.min(before?.least ?? difference, difference);
  const most = Math.max(before?.most ?? difference, difference);
  // A message of the right time ends what was before it, and none begins with it.
  const isWrong = [before?.least ?? 0, before?.most ?? 0, difference].every((each) => Math.abs(each) > TOLERANCE_MS);
  return before && isWrong && most - least <= 2 * TOLERANCE_MS
    ? { since: before.since, least, most }
    : { since: now.getTime(), least: difference, most: difference };
}

/** By how many seconds the clock of a device is behind, negative when it is ahead; undefined: not that is known. */
export function clockDifference({ since, least, most }: ClockWatch, now: Date): number | undefined {
  const middle = (least + most) / 2;
  return now.getTime() - since >= FOR_MS && Math.abs(middle) > TOLERANCE_MS ? Math.round(middle / 100) / 10 : undefined;
}
