import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import * as z from 'zod/mini';
import { findAnswer } from '../../data/store/idempotency';
import { AlreadyAnswered } from '../../data/store/already-answered';
import { invalid } from '../../domain/values/refusal';
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

/** The first answer under the key of the request, if it has one. */
const findFirst = async ({ idempotency, startedAt }: Exchange): Promise<AlreadyAnswered | undefined> =>
  idempotency && findAnswer(idempotency.id, new Date(startedAt).toISOString());

/** Whether an answer is about the resources that the path names: one of its members has their identifiers. */
const isAbout = (reply: unknown, path: Readonly<Record<string, unknown>>): boolean =>
  Object.values(reply ?? {}).some((member) =>
    Object.entries(path).every(([name, value]) => (member as Record<string, unknown> | null)?.[name] === value),
  );

/**
 * Step of an endpoint that creates by one transaction: reads the `Idempotency-Key` (DESIGN section 3: a UUID, per
 * client and endpoint, and per resource where the path names one). The transaction tells whether it has been used, so
 * it is looked up only when the request fails before: a repeat gets its first answer also when what it needs has gone
 * meanwhile.
 * @throws Refusal `invalid_request` when it is no UUID, or given twice; AlreadyAnswered when it was used before keys
 * were kept per resource
 */
export async function idempotencyKey(exchange: Exchange, event: Event): Promise<void> {
  const { key, caller, query, body, startedAt } = exchange;
  const given = header(event, HEADER);
  // An empty key is refused, not ignored: the client relies on it against a second creation.
  if (given === undefined || !caller) return;
  const ofEndpoint = `answer#${caller.clientId}#${key}`;
  const uuidOfKey = keyIn(given);
  const path = event.pathParameters;
  // Hashed, since a path may be longer than a key of DynamoDB, and may contain the separator.
  const scope = path ? `${ofEndpoint}#${hashOf(canonicalize(path) ?? '')}` : ofEndpoint;
  const request = Object.keys(query ?? {}).length > 0 ? { query, body } : body;
  exchange.idempotency = {
    id: `${scope}#${uuidOfKey}`,
    // The same body may be written with its members in another order (RFC 8785).
    fingerprint: hashOf(canonicalize(request) ?? ''),
    formerFingerprint: () => hashOf(JSON.stringify(body)),
  };
  exchange.replaceError = async (error) => (error instanceof AlreadyAnswered ? undefined : findFirst(exchange));
  if (!path) return;
  const former = await findAnswer(`${ofEndpoint}#${uuidOfKey}`, new Date(startedAt).toISOString());
  if (former && isAbout(former.reply, path)) throw former;
}

/**
 * {@link idempotencyKey} of an endpoint that does something before its transaction which a repeat must not do: the key
 * is looked up first, too.
 * @throws AlreadyAnswered when the key has been used; Refusal as that does
 */
export async function freshIdempotencyKey(exchange: Exchange, event: Event): Promise<void> {
  await idempotencyKey(exchange, event);
  const first = await findFirst(exchange);
  if (first) throw first;
}
