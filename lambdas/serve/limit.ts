import { countCall } from '../../data/requests/rate-limit';
import { Refusal } from '../../domain/refusal';
import type { Exchange } from './request';

const WINDOW_S = 60;

/**
 * Counts the call against the endpoint's limit and sets the `X-RateLimit-*` headers (DESIGN section 3).
 * @throws Refusal `too_many_requests`
 */
export async function limit({ key, endpoint, caller, startedAt, headers }: Exchange): Promise<void> {
  if (endpoint.perMinute === undefined || !caller) return;
  const now = Math.floor(startedAt / 1000);
  const windowStart = now - (now % WINDOW_S);
  const reset = windowStart + WINDOW_S;
  const calls = await countCall(`${caller.clientId}#${key}`, windowStart, endpoint.perMinute);
  headers['X-RateLimit-Limit'] = String(endpoint.perMinute);
  headers['X-RateLimit-Remaining'] = String(Math.max(0, endpoint.perMinute - calls));
  headers['X-RateLimit-Reset'] = String(reset);
  if (calls <= endpoint.perMinute) return;
  headers['Retry-After'] = String(reset - now);
  throw new Refusal('too_many_requests');
}
