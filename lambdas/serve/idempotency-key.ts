import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import * as z from 'zod/mini';
import { AlreadyAnswered, findAnswer } from '../../data/store/first-answers';
import { invalid } from '../../domain/values/refusal';
import { header, type Exchange, type Step } from './request';

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
 * @throws Refusal `invalid_request` when it is no UUID, or given twice, or was used with another query or body
 */
export const idempotencyKey: Step = async (exchange, event, next) => {
  const { key, caller, query, body, startedAt } = exchange;
  const given = header(event, HEADER);
  // An empty key is refused, not ignored: the client relies on it against a second creation.
  if (given === undefined || !caller) return next();
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
  };
  if (path) {
    const former = await findAnswer(`${ofEndpoint}#${uuidOfKey}`, new Date(startedAt).toISOString());
    if (former && isAbout(former.reply, path)) return replyAgain(former, exchange);
  }
  try {
    return await next();
  } catch (error) {
    const first = error instanceof AlreadyAnswered ? error : await findFirst(exchange);
    if (!first) throw error;
    return replyAgain(first, exchange);
  }
};

/**
 * {@link idempotencyKey} of an endpoint that does something before its transaction which a repeat must not do: the key
 * is looked up first, too.
 */
export const freshIdempotencyKey: Step = (exchange, event, next) =>
  idempotencyKey(exchange, event, async () => {
    const first = await findFirst(exchange);
    if (first) throw first;
    return next();
  });

/**
 * What a request that repeats another one by its key returns: the same as the first one.
 * @throws Refusal `invalid_request` when the key was used with another query or body
 */
function replyAgain(first: AlreadyAnswered, { idempotency, body }: Exchange): unknown {
  // Keys of the day before an upgrade have a fingerprint of the body as it was written.
  const isSame = first.fingerprint === idempotency?.fingerprint || first.fingerprint === hashOf(JSON.stringify(body));
  if (!isSame) throw invalid(HEADER, 'has been used with another body');
  return first.reply;
}
