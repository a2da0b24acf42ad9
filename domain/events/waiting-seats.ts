/**
 * Seats of calls that wait for an event. Each such call occupies an instance of a function, of which the account has so many, so
 * there are five for each client and a total. The seats of the total are spread over several items, the shards, since
 * an item takes no more than 1,000 writes a second.
 */

/** Calls of a client that may wait at the same time. */
export const MAX_WAITING_OF_CLIENT = 5;

/** With 25 seats of 26 bytes each an item is below 1 kB, so that a change of it is one write unit. */
const MAX_SEATS_OF_SHARD = 25;

/** A call without a seat looks at no more shards than this. */
const TRIES = 3;

/** An item with seats. */
export interface SeatShard {
  readonly shard: number;
  /** How many calls may have a seat in it. */
  readonly seats: number;
}

/** The shards of a total; together they have exactly so many seats, and none has two more than another. */
export function seatShards(total: number): SeatShard[] {
  const count = Math.ceil(total / MAX_SEATS_OF_SHARD);
  return Array.from({ length: count }, (_, shard) => ({ shard, seats: Math.floor((total + shard) / count) }));
}

/**
 * The shards in which a call looks for a seat: different ones, chosen at random.
 * @param random returns a number from 0 up to but without 1
 */
export function shardsToTry(total: number, random: () => number): SeatShard[] {
  const shards = seatShards(total);
  return Array.from({ length: Math.min(TRIES, shards.length) }, () =>
    shards.splice(Math.floor(random() * shards.length), 1),
  ).flat();
}
