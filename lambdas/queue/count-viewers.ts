import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { countViewers, readRecount } from '../../data/shares/share-viewers';
import { logger } from '../logger';

/** Queue of shares whose viewers connected or disconnected → the number of viewers in each share. */
export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const now = Math.floor(Date.now() / 1000);
  const outcomes = await Promise.allSettled(Records.map(async ({ body }) => countViewers(readRecount(body), now)));
  const failed = Records.filter((_, index) => outcomes[index]?.status === 'rejected');
  if (failed.length > 0) logger.error('viewers could not be counted', { count: failed.length });
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}
