import { countCall } from '../data/requests/rate-limit';
import { rateWindow } from '../domain/rate-window';
import { Refusal } from '../domain/refusal';

/** Keys whose window this instance knows to be exhausted, with the window's start: refusing them costs no write. */
const usedUp = new Map<string, number>();
const MAX_CACHED = 10_000;

/**
 * Counts a call in fixed windows of a minute.
 * @param key what is counted, and for whom
 * @param limit calls per minute
 * @throws Refusal `too_many_requests`
 */
export async function limitRate(key: string, limit: number, now: Date): Promise<void> {
  const { start } = rateWindow(now.getTime() / 1000);
  if (usedUp.get(key) === start) throw new Refusal('too_many_requests');
  if ((await countCall(key, start, limit)) <= limit) return;
  if (usedUp.size >= MAX_CACHED) usedUp.clear();
  usedUp.set(key, start);
  throw new Refusal('too_many_requests');
}
