import { callsOf, countCall } from '../../data/access/rate-limit';
import { rateWindow } from '../../domain/access/rate-window';
import { Refusal } from '../../domain/values/refusal';
import type { Event, Exchange } from './request';

/**
 * Counts the call against the client's limit of the endpoint and sets the `X-RateLimit-*` headers (DESIGN section 3). Beyond the limit a request
 * that the endpoint spares is counted apart.
 * @throws Refusal `too_many_requests`
 */
export async function limit(
  { key, endpoint, caller, startedAt, headers }: Exchange,
  { body, isBase64Encoded }: Pick<Event, 'body' | 'isBase64Encoded'>,
): Promise<void> {
  if (endpoint.perMinute === undefined || !caller) return;
  const perMinute = caller.limits[key] ?? endpoint.perMinute;
  const now = Math.floor(startedAt / 1000);
  const { start, end } = rateWindow(now);
  const counted = callsOf(caller.clientId, key);
  const calls = await countCall(counted, start, perMinute);
  headers['X-RateLimit-Limit'] = String(perMinute);
  headers['X-RateLimit-Remaining'] = String(Math.max(0, perMinute - calls));
  headers['X-RateLimit-Reset'] = String(end);
  if (calls <= perMinute) return;
  // A client that says the media type of another body gets it in base64 (`contract/terms/binary-media-types.ts`).
  const text = isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : body;
  if (endpoint.spares?.(text) && (await countCall(`${counted}#spared`, start, perMinute)) <= perMinute) return;
  throw new Refusal('too_many_requests', [], { retryAfterSeconds: end - now });
}
