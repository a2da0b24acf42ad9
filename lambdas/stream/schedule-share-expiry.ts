import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { changeOf, type StreamRecord } from '../../data/changes';
import { cancelExpiry, scheduleExpiry } from '../../data/share-expiry';
import { logger } from '../logger';
import { inOrder } from './in-order';

async function schedule(record: StreamRecord): Promise<void> {
  const change = changeOf(record);
  if (change?.kind !== 'share') return;
  if (!change.before && change.after) await scheduleExpiry(change.after);
  if (change.before && !change.after) await cancelExpiry(change.before);
}

/** Stream of shares → a one-time schedule that ends each on time. */
export const handler = ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> =>
  inOrder(Records as StreamRecord[], schedule, ({ dynamodb }, error) =>
    logger.error('the end of a share could not be scheduled', {
      sequenceNumber: dynamodb?.SequenceNumber,
      error,
    }),
  );
