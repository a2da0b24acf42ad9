import { callsOf, countCall } from '../../data/requests/rate-limit';
import { rateWindow } from '../../domain/rate-window';
import { Refusal } from '../../domain/refusal';
import type { Exchange } from './request';

/**
 * Counts the call against the client's limit of the endpoint and sets the `X-RateLimit-*` headers (DESIGN section 3).
 * @throws Refusal `too_many_requests`
 */
export async function limit({ key, endpoint, caller, startedAt, headers }: Exchange): Promise<void> {
  if (endpoint.perMinute === undefined || !caller) return;
  const perMinute = caller.limits[key] ?? endpoint.perMinute;
  const now = Math.floor(startedAt / 1000);
  const { start, end } = rateWindow(now);
  const calls = await countCall(callsOf(caller.clientId, key), start, perMinute);
  headers['X-RateLimit-Limit'] = String(perMinute);
  headers['X-RateLimit-Remaining'] = String(Math.max(0, perMinute - calls));
  headers['X-RateLimit-Reset'] = String(end);
  if (calls <= perMinute) return;
  headers['Retry-After'] = String(end - now);
  throw new Refusal('too_many_requests');
}
