import type { Organisation } from '../../domain/id';
import { Refusal } from '../../domain/refusal';
import { newCallSeat, releaseCallSeat, takeCallSeat } from '../requests/call-seats';
import { setting } from '../store/environment';

/** A function is ended after so long, in ms, and with it what it reads: the default of `lib/functions/api-function.ts`. */
const FUNCTION_MS = 10_000;

/**
 * Stores a file of an organisation while it has a seat. To read a file of 4 MB keeps an instance busy for up to two seconds, of which a new
 * account has ten: the others stay free for everybody. One write unit, and one more to give the seat back.
 * @throws Refusal `too_many_requests` when the organisation's seats are taken, and what `store` throws
 */
export async function withFileSeat<Stored>(organisation: Organisation, store: () => Promise<Stored>): Promise<Stored> {
  const now = Date.now();
  const seats = { id: `files#${organisation}`, max: Number(setting('MAX_FILES_AT_ONCE')) };
  const seat = newCallSeat(now + FUNCTION_MS);
  if (!(await takeCallSeat(seats, seat, now))) throw tooManyFiles(seats.max);
  try {
    return await store();
  } finally {
    // What can't be given back is free soon, so it must not fail the call.
    await releaseCallSeat(seats, seat).catch(() => undefined);
  }
}

const tooManyFiles = (max: number) =>
  new Refusal('too_many_requests', [
    { path: '', message: `at most ${max} files of an organisation are read at the same time: send it again` },
  ]);
