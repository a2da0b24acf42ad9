/** Seats of calls that may run at the same time. Whoever makes a call takes one first, and gives it back at its end. */

/** A seat contains when its call ends (Unix ms), so that it is free then even if nobody gives it back. */
export const callSeat = (endsAt: number, callId: string): string => `${endsAt} ${callId}`;

const endOf = (seat: string): number => Number(seat.split(' ', 1)[0]) || 0;

/**
 * The seats of an item when a call takes one: those whose calls have ended are free.
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
  const after = new Set([...taken].filter((other) => endOf(other) > now)).add(seat);
  return after.size <= max ? after : undefined;
}
