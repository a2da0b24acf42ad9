import { callsOf, countCall } from '../../data/requests/rate-limit';
import { rateWindow } from '../../domain/rate-window';
import { Refusal } from '../../domain/refusal';
import type { Exchange } from './request';

/**
 * Counts the call against the endpoint's limit and sets the `X-RateLimit-*` headers (DESIGN section 3).
 * @throws Refusal `too_many_requests`
 */
export async function limit({ key, endpoint, caller, startedAt, headers }: Exchange): Promise<void> {
  if (endpoint.perMinute === undefined || !caller) return;
  const now = Math.floor(startedAt / 1000);
  const { start, end } = rateWindow(now);
  const calls = await countCall(callsOf(caller.clientId, key), start, endpoint.perMinute);
  headers['X-RateLimit-Limit'] = String(endpoint.perMinute);
  headers['X-RateLimit-Remaining'] = String(Math.max(0, endpoint.perMinute - calls));
  headers['X-RateLimit-Reset'] = String(end);
  if (calls <= endpoint.perMinute) return;
  headers['Retry-After'] = String(end - now);
  throw new Refusal('too_many_requests');
}
