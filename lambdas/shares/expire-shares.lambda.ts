import { setTimeout as pause } from 'node:timers/promises';
import type { SQSBatchResponse } from 'aws-lambda';
import { delayShareEnd, readShareEnd, type ShareEnd } from '../../data/shares/schedule-share-end';
import { endExpiredShare } from '../../data/shares/shares';
import { eachMessage, type QueueMessages } from '../runtime/each-message';
import { logger } from '../runtime/logger';
import { named } from '../runtime/subject';

/** A rest that is not longer is waited for, since SQS delays by whole seconds; in ms. */
const MAX_WAIT_MS = 1000;

async function end(share: ShareEnd): Promise<void> {
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
export const handler = ({ Records }: QueueMessages): Promise<SQSBatchResponse> =>
  eachMessage(
    Records,
    (body) => {
      const share = readShareEnd(body);
      return { subject: named(share.shareCode), run: () => end(share) };
    },
    (error) => logger.error('share could not be ended', { error }),
  );
