import { randomInt } from 'node:crypto';
import type { Organisation } from '../../domain/values/id';
import { Refusal } from '../../domain/values/refusal';
import { newCallSeat, releaseCallSeat, takeCallSeat } from '../store/take-call-seat';
import { setting } from '../store/environment';

/**
 * A file that was not stored by then has failed, in ms: the timeout of its function, the default of
 * `lib/functions/api-function.ts`.
 */
export const FILE_WITHIN_MS = 10_000;
/** The largest file takes two seconds to read. Files that were refused together don't come again together. */
const retryAfterSeconds = () => randomInt(2, 6);

/**
 * Stores a file of an organisation while it has a seat. To read a file of 4 MB keeps an instance busy for up to two
 * seconds, of which a new account has ten: one organisation leaves most of them to the others. One write unit, and one
 * more to give the seat back.
 * @throws Refusal `too_many_requests` when the organisation's seats are taken, and what `store` throws
 */
export async function withFileSeat<Stored>(organisation: Organisation, store: () => Promise<Stored>): Promise<Stored> {
  const now = Date.now();
  const seats = { id: `files#${organisation}`, max: Number(setting('MAX_FILES_AT_ONCE')) };
  const seat = newCallSeat(now + FILE_WITHIN_MS);
  // A write that failed may have taken it all the same.
  let isTaken = true;
  try {
    isTaken = await takeCallSeat(seats, seat, now);
    if (!isTaken) throw tooManyFiles(seats.max);
    return await store();
  } finally {
    // What can't be given back is free soon, so it must not fail the call.
    if (isTaken) await releaseCallSeat(seats, seat).catch(() => undefined);
  }
}

const tooManyFiles = (max: number) =>
  new Refusal(
    'too_many_requests',
    [{ path: '', message: `at most ${max} files of an organisation are read at the same time: send it again` }],
    { retryAfterSeconds: retryAfterSeconds() },
  );
