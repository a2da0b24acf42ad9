import type { DynamoDBBatchResponse } from 'aws-lambda';
import {
  changedCommand,
  parseChange,
  recordedAt,
  type StreamRecord,
  type StreamRecords,
} from '../../data/channels/stream-records';
import { logger } from '../runtime/logger';
import { processInOrder } from '../runtime/process-records-in-order';
import { forwardCommand } from '../commands/forward-command';
import { publishPlatformEvent } from '../../data/platform/publish-to-platform';
import { digestShareCode } from '../../data/shares/share-id';
import { toPlatformEvent } from '../../domain/platform/platform-event';
import { recallDrone } from '../commands/recall-drone';
import { withMissionLine } from '../missions/with-mission-line';
import type { OutboundEvent } from '../../domain/platform/outbound-events';

async function publish(record: StreamRecord): Promise<void> {
  const command = changedCommand(record);
  if (command) return forwardCommand(command, new Date());
  const change = parseChange(record);
  if (change?.kind !== 'job') return;
  const at = recordedAt(record);
  const event = toPlatformEvent(change, at, digestShareCode);
  if (event) await tellPlatform(event);
  if (change.before && !change.after) await recallDrone(change.before, at);
}

async function tellPlatform(event: OutboundEvent): Promise<void> {
  const { type, detail } = await withWaypoints(event);
  await publishPlatformEvent(type, detail);
  logger.info('platform told', { type });
}

const withWaypoints = async (event: OutboundEvent): Promise<OutboundEvent> =>
  event.type === 'job.created' ? { ...event, detail: await withMissionLine(event.detail) } : event;

/** Streams of jobs and commands → events for the drone platform. */
export const handler = ({ Records }: StreamRecords): Promise<DynamoDBBatchResponse> =>
  processInOrder(Records, publish, ({ dynamodb }, error) =>
    logger.error('change could not be published to the platform', {
      sequenceNumber: dynamodb?.SequenceNumber,
      error,
    }),
  );
