import type { DynamoDBBatchResponse } from 'aws-lambda';
import { parseChange, recordedAt, type StreamRecord, type StreamRecords } from '../../data/channels/stream-records';
import { logger } from '../runtime/logger';
import { processInOrder } from '../runtime/process-records-in-order';
import { forwardCommand } from '../commands/forward-command';
import { tellPlatformOfChange } from './tell-platform-of-change';
import { recallDrone } from '../commands/recall-drone';
import { withMissionLine } from '../missions/with-mission-line';
import type { OutboundEvent } from '../../domain/platform/outbound-events';

const withWaypoints = async (event: OutboundEvent): Promise<OutboundEvent> =>
  event.type === 'job.created' ? { ...event, detail: await withMissionLine(event.detail) } : event;

async function publish(record: StreamRecord): Promise<void> {
  const change = parseChange(record);
  if (change?.kind === 'command') return change.after && forwardCommand(change.after, new Date());
  await tellPlatformOfChange(record, withWaypoints);
  if (change?.kind === 'job' && change.before && !change.after) await recallDrone(change.before, recordedAt(record));
}

/** Streams of jobs and commands → events for the drone platform. */
export const handler = ({ Records }: StreamRecords): Promise<DynamoDBBatchResponse> =>
  processInOrder(Records, publish, ({ dynamodb }, error) =>
    logger.error('change could not be published to the platform', {
      sequenceNumber: dynamodb?.SequenceNumber,
      error,
    }),
  );
