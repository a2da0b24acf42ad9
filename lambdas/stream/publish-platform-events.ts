import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { StreamRecord } from '../../data/store/stream-records';
import { logger } from '../logger';
import { inOrder } from '../delivery/in-order';
import { publishChange } from '../delivery/publish-platform-event';

/** Stream of jobs → the drone platform hears what has changed. */
export const handler = ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> =>
  inOrder(Records as StreamRecord[], publishChange, ({ dynamodb }, error) =>
    logger.error('the platform could not be told of a change', {
      sequenceNumber: dynamodb?.SequenceNumber,
      error,
    }),
  );
