import { Logger } from '@aws-lambda-powertools/logger';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { newConnection, type StreamRecord } from '../../data/changes';
import { channelOf } from '../../data/connections';
import { postToSocket } from '../../data/sockets';
import { currentState } from '../current-state';
import { inOrder } from './in-order';

const logger = new Logger();

async function greet(record: StreamRecord): Promise<void> {
  const connection = newConnection(record);
  const channel = connection && channelOf(connection);
  if (!channel) return;
  for (const message of await currentState(channel, new Date().toISOString()))
    await postToSocket(connection, JSON.stringify({ ...message, snapshot: true }));
}

/**
 * Stream of connections → the first message of each: the current state. Nothing can be posted to a
 * connection inside `$connect`, which is why this is not part of it.
 */
export const handler = ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> =>
  inOrder(Records as StreamRecord[], greet, (_record, error) =>
    logger.error('a connection could not be greeted', {
      error: error instanceof Error ? error : new Error(String(error)),
    }),
  );
