import { Refusal } from '../../domain/refusal';
import { releaseSeats, takeSeat, waitingSeats } from '../connections/seats';

/** Calls of a client that may wait at the same time: each occupies an instance of a function, of which the account has so many. */
const MAX_WAITING = 5;
/** Longer than any call waits, in seconds; then the seat of a function that has crashed is free again. */
const SEAT_S = 30;

/**
 * Takes one of the seats of a client's waiting calls.
 * @param now Unix seconds
 * @returns releases it
 * @throws Refusal `too_many_requests`
 */
export async function takeWaitingSeat(
  clientId: string,
  requestId: string,
  now: number,
): Promise<() => Promise<unknown>> {
  const owner = waitingSeats(clientId);
  const holder = { connectionId: requestId, openedAt: now, expiresAt: now + SEAT_S };
  const limits = { max: MAX_WAITING, ttl: now + 2 * SEAT_S, now };
  if (!(await takeSeat(owner, holder, limits)))
    throw new Refusal('too_many_requests', [
      { path: 'wait', message: `at most ${MAX_WAITING} calls of a client wait at the same time` },
    ]);
  return () => releaseSeats(owner, [holder]);
}
