import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import * as z from 'zod/mini';
import { findAnswer } from '../../data/requests/idempotency';
import { invalid } from '../../domain/refusal';
import { header, type Event, type Exchange } from './request';

const HEADER = 'Idempotency-Key';
const uuid = z.uuid();
/** The zero value of a client that made no key (RFC 9562 section 5.9): all its requests would be one. */
const NIL = '00000000-0000-0000-0000-000000000000';

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64');

/** The key in a header, with or without the quotes that the IETF draft has (draft-ietf-httpapi-idempotency-key-header). */
function keyIn(given: string): string {
  const key = uuid.safeParse(given.replace(/^"(.*)"$/, '$1').toLowerCase());
  if (!key.success) throw invalid(HEADER, 'must be a UUID');
  if (key.data === NIL) throw invalid(HEADER, 'must not be the nil UUID');
  return key.data;
}

/**
 * Step of an endpoint that creates: looks up the `Idempotency-Key` (DESIGN section 3: a UUID, per client and endpoint).
 * @throws AlreadyAnswered when the key has been used; Refusal `invalid_request` when it is no UUID, or given twice
 */
export async function idempotencyKey(exchange: Exchange, event: Event): Promise<void> {
  const { key, caller, body, startedAt } = exchange;
  const given = header(event, HEADER);
  // An empty key is refused, not ignored: the client relies on it against a second creation.
  if (given === undefined || !caller) return;
  const id = `answer#${caller.clientId}#${key}#${keyIn(given)}`;
  // The same body may be written with its members in another order (RFC 8785).
  const fingerprint = hashOf(canonicalize(body) ?? '');
  exchange.idempotency = { id, fingerprint, formerFingerprint: () => hashOf(JSON.stringify(body)) };
  const first = await findAnswer(id, new Date(startedAt).toISOString());
  if (first) throw first;
}
