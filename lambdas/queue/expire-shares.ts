import { setTimeout as pause } from 'node:timers/promises';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { delayShareEnd, readShareEnd } from '../../data/shares/share-expiry';
import { endExpiredShare } from '../../data/shares/shares';
import { logger } from '../logger';

/** A rest that is not longer is waited for, since SQS delays by whole seconds; in ms. */
const MAX_WAIT_MS = 1000;

async function end(body: string): Promise<void> {
  const share = readShareEnd(body);
  const expiry = Date.parse(share.expiresAt);
  const left = expiry - Date.now();
  if (left > MAX_WAIT_MS) return delayShareEnd(share, left);
  // A timer may fire a millisecond early; the share would then never be ended.
  while (Date.now() < expiry) await pause(expiry - Date.now());
  await endExpiredShare(share.shareCode, new Date().toISOString());
}

/**
 * Queue of shares that are about to expire → each is ended on time. A message that a schedule sent minutes early is sent again,
 * delayed for what is left. Idempotent; a share that was revoked meanwhile stays so.
 */
export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const outcomes = await Promise.allSettled(Records.map(({ body }) => end(body)));
  const failed = Records.filter((_, index) => outcomes[index]?.status === 'rejected');
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') logger.error('share could not be ended', { error: outcome.reason as unknown });
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}
