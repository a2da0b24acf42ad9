import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { AlreadyAnswered, findAnswer } from '../../data/requests/idempotency';
import { invalid } from '../../domain/refusal';
import { header, type Event, type Exchange } from './request';

const HEADER = 'idempotency-key';
const uuid = z.uuid();

/**
 * Looks up the `Idempotency-Key` (DESIGN section 3: a UUID, per client and endpoint).
 * @throws AlreadyAnswered when the key has been used; Refusal `invalid_request` when it is no UUID
 */
export async function replay(exchange: Exchange, event: Event): Promise<void> {
  const { key, endpoint, caller, body, startedAt } = exchange;
  const given = endpoint.idempotent ? header(event, HEADER) : undefined;
  // An empty key is refused, not ignored: the client relies on it against a second creation.
  if (given === undefined || !caller) return;
  const idempotencyKey = uuid.safeParse(given.toLowerCase());
  if (!idempotencyKey.success) throw invalid('Idempotency-Key', 'must be a UUID');
  const id = `answer#${caller.clientId}#${key}#${idempotencyKey.data}`;
  const fingerprint = createHash('sha256').update(JSON.stringify(body)).digest('base64');
  exchange.idempotency = { id, fingerprint };
  const first = await findAnswer(id, new Date(startedAt).toISOString());
  if (first) throw first;
}

/**
 * The body of the first answer.
 * @throws Refusal `invalid_request` when the key was used with another body
 */
export function firstReply(first: AlreadyAnswered, exchange: Exchange): unknown {
  if (first.fingerprint === exchange.idempotency?.fingerprint) return first.reply;
  throw invalid('Idempotency-Key', 'has been used with another body');
}
