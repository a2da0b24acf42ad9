import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { StreamRecord } from '../../data/changes';
import { logger } from '../logger';
import { inOrder } from './in-order';
import { tell } from './tell';

/** Stream of jobs → the drone platform hears what has changed. */
export const handler = ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> =>
  inOrder(Records as StreamRecord[], tell, ({ dynamodb }, error) =>
    logger.error('the platform could not be told of a change', {
      sequenceNumber: dynamodb?.SequenceNumber,
      error,
    }),
  );
