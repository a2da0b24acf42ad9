import type { SQSBatchResponse } from 'aws-lambda';
import { countViewers, readRecount } from '../../data/shares/share-viewers';
import { eachMessage, type QueueMessages } from '../runtime/each-message';
import { logger } from '../runtime/logger';
import { named } from '../runtime/subject';

/** Queue of shares whose viewers connected or disconnected → the number of viewers in each share. */
export function handler({ Records }: QueueMessages): Promise<SQSBatchResponse> {
  const now = Math.floor(Date.now() / 1000);
  return eachMessage(
    Records,
    (body) => {
      const shareCode = readRecount(body);
      return { subject: named(shareCode), run: () => countViewers(shareCode, now) };
    },
    (error) => logger.error('viewers could not be counted', { error }),
  );
}
