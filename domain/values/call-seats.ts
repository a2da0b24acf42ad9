/** Seats of calls that may run at the same time. Whoever makes a call takes one first, and gives it back at its end. */

/** A seat contains when its call ends (Unix ms), so that it is free then even if nobody gives it back. */
export const callSeat = (endsAt: number, callId: string): string => `${endsAt} ${callId}`;

const endOf = (seat: string): number => Number(seat.split(' ', 1)[0]) || 0;

/** Longer than any such call, in ms: a seat that ends later is one of a clock that is wrong. */
const LONGEST_MS = 60_000;

/**
 * The seats of an item when a call takes one: those whose calls have ended are free, and those that end in more than a minute.
 * @param taken the seats that it has
 * @param max how many it may have
 * @param now Unix ms
 * @returns undefined when all are taken
 */
export function withSeat(
  taken: ReadonlySet<string>,
  seat: string,
  max: number,
  now: number,
): ReadonlySet<string> | undefined {
  const isTaken = (other: string) => endOf(other) > now && endOf(other) <= now + LONGEST_MS;
  const after = new Set([...taken].filter(isTaken)).add(seat);
  return after.size <= max ? after : undefined;
}
