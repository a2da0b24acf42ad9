import type { DynamoDBBatchResponse } from 'aws-lambda';
import { parseChange, type StreamRecord, type StreamRecords } from '../../data/channels/stream-records';
import { cancelExpiry, scheduleExpiry } from '../../data/shares/schedule-share-end';
import { allSettled } from '../runtime/concurrency';
import { logger } from '../runtime/logger';
import { processInOrder } from '../runtime/process-records-in-order';
import { tellPlatformOfChange } from './tell-platform-of-change';
import { refuseCommandsOfShare } from '../commands/end-command';

async function schedule(record: StreamRecord): Promise<void> {
  const change = parseChange(record);
  if (change?.kind !== 'share') return;
  if (!change.before && change.after) await scheduleExpiry(change.after);
  if (change.before && !change.after) await cancelExpiry(change.before);
}

/** What its viewers have commanded, and nobody has begun. */
async function refuseCommands(record: StreamRecord): Promise<void> {
  const change = parseChange(record);
  if (change?.kind !== 'share' || !change.before || change.after || !change.before.permissions.includes('control'))
    return;
  await refuseCommandsOfShare(change.before.deviceId, change.before.shareCode, new Date());
}

/**
 * Stream of shares → a one-time schedule that ends each share on time, the end of its commands, and an event for the
 * drone platform. All in one function: a stream supports two readers (DynamoDB developer guide, "Change data capture
 * for DynamoDB Streams"), and the other is the fan-out.
 */
export const handler = ({ Records }: StreamRecords): Promise<DynamoDBBatchResponse> =>
  processInOrder(
    Records,
    (record) => allSettled([schedule(record), refuseCommands(record), tellPlatformOfChange(record)]),
    ({ dynamodb }, error) =>
      logger.error('share change could not be processed', { sequenceNumber: dynamodb?.SequenceNumber, error }),
  );
