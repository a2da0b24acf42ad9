import type { DynamoDBBatchResponse } from 'aws-lambda';
import { parseChange, recordedAt, type StreamRecord, type StreamRecords } from '../../data/channels/stream-records';
import { publishPlatformEvent } from '../../data/platform/publish-to-platform';
import { digestShareCode } from '../../data/shares/share-id';
import type { Change } from '../../domain/channels/status-event';
import { toPlatformEvent } from '../../domain/platform/platform-event';
import { cancelExpiry, scheduleExpiry } from '../../data/shares/schedule-share-end';
import { allSettled } from '../runtime/concurrency';
import { logger } from '../runtime/logger';
import { processInOrder } from '../runtime/process-records-in-order';
import { refuseCommandsOfShare } from '../commands/end-command';

type ShareChange = Extract<Change, { readonly kind: 'share' }>;

async function schedule({ before, after }: ShareChange): Promise<void> {
  if (!before && after) await scheduleExpiry(after);
  if (before && !after) await cancelExpiry(before);
}

/** What its viewers have commanded, and nobody has begun. */
async function refuseCommands({ before, after }: ShareChange): Promise<void> {
  if (!before || after || !before.permissions.includes('control')) return;
  await refuseCommandsOfShare(before.deviceId, before.shareCode, new Date());
}

async function tellPlatform(change: ShareChange, at: string): Promise<void> {
  const event = toPlatformEvent(change, at, digestShareCode);
  if (event) await publishPlatformEvent(event.type, event.detail);
}

async function follow(record: StreamRecord): Promise<void> {
  const change = parseChange(record);
  if (change?.kind === 'share')
    await allSettled([schedule(change), refuseCommands(change), tellPlatform(change, recordedAt(record))]);
}

/**
 * Stream of shares → a one-time schedule that ends each share on time, the end of its commands, and an event for the
 * drone platform. All in one function: a stream supports two readers (DynamoDB developer guide, "Change data capture
 * for DynamoDB Streams"), and the other is the fan-out.
 */
export const handler = ({ Records }: StreamRecords): Promise<DynamoDBBatchResponse> =>
  processInOrder(Records, follow, ({ dynamodb }, error) =>
    logger.error('share change could not be processed', { sequenceNumber: dynamodb?.SequenceNumber, error }),
  );
