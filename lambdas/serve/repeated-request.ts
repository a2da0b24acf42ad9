import type { AlreadyAnswered } from '../../data/store/already-answered';
import { invalid } from '../../domain/values/refusal';
import type { Exchange } from './request';

/**
 * The body of the answer to a request that repeats another one by its `Idempotency-Key`: that of the first answer.
 * @throws Refusal `invalid_request` when the key was used with another query or body
 */
export function replyAgain(first: AlreadyAnswered, { idempotency }: Exchange): unknown {
  const isSame = first.fingerprint === idempotency?.fingerprint;
  if (isSame || first.fingerprint === idempotency?.formerFingerprint()) return first.reply;
  throw invalid('Idempotency-Key', 'has been used with another body');
}
