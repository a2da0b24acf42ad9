import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { StreamRecord } from '../../data/store/stream-records';
import { logger } from '../logger';
import { inOrder } from '../delivery/in-order';
import { publishChange } from '../platform/publish-platform-event';
import { withMissionLine } from '../platform/with-mission-line';
import type { OutboundEvent } from '../../domain/outbound-events';

const withWaypoints = async (event: OutboundEvent): Promise<OutboundEvent> =>
  event.type === 'job.created' ? { ...event, detail: await withMissionLine(event.detail) } : event;

const publish = (record: StreamRecord) => publishChange(record, withWaypoints);

/** Stream of jobs → events for the drone platform. */
export const handler = ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> =>
  inOrder(Records as StreamRecord[], publish, ({ dynamodb }, error) =>
    logger.error('job change could not be published to the platform', {
      sequenceNumber: dynamodb?.SequenceNumber,
      error,
    }),
  );
