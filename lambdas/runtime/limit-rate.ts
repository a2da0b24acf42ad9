import { countCall, uncountCall } from '../../data/access/rate-limit';
import { rateWindow } from '../../domain/access/rate-window';
import { Refusal } from '../../domain/values/refusal';

/** Keys whose window this instance knows to be exhausted, with the window's start: refusing them costs no write. */
const usedUp = new Map<string, number>();
const MAX_CACHED = 10_000;

/**
 * Counts a call in fixed windows of a minute.
 * @param key what is counted, and for whom
 * @param limit calls per minute
 * @returns the number of calls in the window, this one included
 * @throws Refusal `too_many_requests`
 */
export async function limitRate(key: string, limit: number, now: Date): Promise<number> {
  const { start } = rateWindow(now.getTime() / 1000);
  if (usedUp.get(key) === start) throw new Refusal('too_many_requests');
  const calls = await countCall(key, start, limit);
  if (calls <= limit) return calls;
  if (usedUp.size >= MAX_CACHED) usedUp.clear();
  usedUp.set(key, start);
  throw new Refusal('too_many_requests');
}

/** Takes back a call that {@link limitRate} has counted. @param now as it was counted */
export async function uncount(key: string, now: Date): Promise<void> {
  await uncountCall(key, rateWindow(now.getTime() / 1000).start);
  usedUp.delete(key);
}
