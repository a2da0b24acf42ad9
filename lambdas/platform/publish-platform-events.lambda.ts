import type { DynamoDBBatchResponse } from 'aws-lambda';
import { changeOf, createdAtOf, type StreamRecord, type StreamRecords } from '../../data/channels/stream-records';
import { logger } from '../runtime/logger';
import { inOrder } from '../runtime/in-order';
import { publishCommand } from '../commands/send-to-platform';
import { publishChange } from './publish-platform-event';
import { recallDrone } from '../commands/recall-drone';
import { withMissionLine } from '../missions/with-mission-line';
import type { OutboundEvent } from '../../domain/platform/outbound-events';

const withWaypoints = async (event: OutboundEvent): Promise<OutboundEvent> =>
  event.type === 'job.created' ? { ...event, detail: await withMissionLine(event.detail) } : event;

async function publish(record: StreamRecord): Promise<void> {
  const change = changeOf(record);
  if (change?.kind === 'command') return change.after && publishCommand(change.after, new Date());
  await publishChange(record, withWaypoints);
  if (change?.kind === 'job' && change.before && !change.after) await recallDrone(change.before, createdAtOf(record));
}

/** Streams of jobs and commands → events for the drone platform. */
export const handler = ({ Records }: StreamRecords): Promise<DynamoDBBatchResponse> =>
  inOrder(Records, publish, ({ dynamodb }, error) =>
    logger.error('change could not be published to the platform', {
      sequenceNumber: dynamodb?.SequenceNumber,
      error,
    }),
  );
