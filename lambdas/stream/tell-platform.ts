import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { createHash } from 'node:crypto';
import { changeOf, momentOf, type StreamRecord } from '../../data/changes';
import { tellPlatform } from '../../data/platform-bus';
import { platformEventOf } from '../../domain/platform-event';
import { logger } from '../logger';
import { inOrder } from './in-order';

/** A share code has 130 random bits, so nobody gets back from its digest to the code. */
const shareIdOf = (shareCode: string) => createHash('sha256').update(shareCode).digest('hex').slice(0, 32);

async function tell(record: StreamRecord): Promise<void> {
  const change = changeOf(record);
  const event = change && platformEventOf(change, momentOf(record), shareIdOf);
  if (event) await tellPlatform(event.type, event.detail);
}

/** Streams of jobs and shares → the drone platform hears what has changed. */
export const handler = ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> =>
  inOrder(Records as StreamRecord[], tell, ({ dynamodb }, error) =>
    logger.error('the platform could not be told of a change', {
      sequenceNumber: dynamodb?.SequenceNumber,
      error,
    }),
  );
