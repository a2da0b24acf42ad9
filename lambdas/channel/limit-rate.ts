import { countCall } from '../../data/requests/rate-limit';
import { Refusal } from '../../domain/refusal';

const WINDOW_SECONDS = 60;

/** Whose window is used up, as far as this instance knows: a refusal then costs no write. */
const usedUp = new Map<string, number>();
const MOST_KNOWN = 10_000;

/**
 * Counts something that comes over sockets, in windows of a minute.
 * @param what it is and whose
 * @param most how often it may be in a minute
 * @throws Refusal `too_many_requests`
 */
export async function limitRate(what: string, most: number, now: Date): Promise<void> {
  const seconds = Math.floor(now.getTime() / 1000);
  const windowStart = seconds - (seconds % WINDOW_SECONDS);
  if (usedUp.get(what) === windowStart) throw new Refusal('too_many_requests');
  if ((await countCall(what, windowStart, most)) <= most) return;
  if (usedUp.size >= MOST_KNOWN) usedUp.clear();
  usedUp.set(what, windowStart);
  throw new Refusal('too_many_requests');
}
