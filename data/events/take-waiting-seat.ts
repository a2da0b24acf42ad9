import { Refusal } from '../../domain/values/refusal';
import { MAX_WAITING_OF_CLIENT, shardsToTry } from '../../domain/events/waiting-seats';
import { newCallSeat, releaseCallSeat, takeCallSeat } from '../store/take-call-seat';
import { setting } from '../store/environment';

/**
 * An instance that has found no seat doesn't look again for so long, in ms: a failed attempt costs as much as one that
 * succeeds.
 */
const FULL_FOR_MS = 1000;

/** A call that wants to wait. */
export interface Waiter {
  readonly clientId: string;
  /** Unix ms. */
  readonly now: number;
  /** When it ends at the latest, Unix ms: its seat is free then in any case. */
  readonly endsAt: number;
}

/** Until when this instance doesn't look for a seat, Unix ms. */
let fullUntil = 0;

/**
 * Takes a seat of the client and one of the total: two write units, and two more to give them back.
 * @returns gives them back; undefined when the total is taken, or nearly so
 * @throws Refusal `too_many_requests` when those of the client are taken
 */
export async function takeWaitingSeat({
  clientId,
  now,
  endsAt,
}: Waiter): Promise<(() => Promise<unknown>) | undefined> {
  if (now < fullUntil) return undefined;
  const seat = newCallSeat(endsAt);
  const own = { id: `waiting#client#${clientId}`, max: MAX_WAITING_OF_CLIENT };
  if (!(await takeCallSeat(own, seat, now))) throw tooManyWait();
  for (const { shard, seats } of shardsToTry(Number(setting('MAX_WAITING_CALLS')), Math.random)) {
    const shared = { id: `waiting#shard#${shard}`, max: seats };
    // What can't be given back is free at the end of the wait, so it must not fail the call.
    if (await takeCallSeat(shared, seat, now))
      return () => Promise.allSettled([releaseCallSeat(own, seat), releaseCallSeat(shared, seat)]);
  }
  fullUntil = now + FULL_FOR_MS;
  await releaseCallSeat(own, seat);
  return undefined;
}

const tooManyWait = () =>
  new Refusal('too_many_requests', [
    { path: 'wait', message: `at most ${MAX_WAITING_OF_CLIENT} calls of a client wait at the same time` },
  ]);
