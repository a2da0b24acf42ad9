import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { StreamRecord } from '../../data/store/stream-records';
import { logger } from '../logger';
import { inOrder } from '../delivery/in-order';
import { publishChange } from '../platform/publish-platform-event';

/** Stream of jobs → events for the drone platform. */
export const handler = ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> =>
  inOrder(Records as StreamRecord[], publishChange, ({ dynamodb }, error) =>
    logger.error('job change could not be published to the platform', {
      sequenceNumber: dynamodb?.SequenceNumber,
      error,
    }),
  );
