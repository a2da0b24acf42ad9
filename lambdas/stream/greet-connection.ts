import { Logger } from '@aws-lambda-powertools/logger';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { newConnection, type StreamRecord } from '../../data/changes';
import { channelOf, startFollowing, type Connection } from '../../data/connections';
import { closeSocket, postToSocket } from '../../data/sockets';
import type { Channel } from '../../domain/status-event';
import { currentState } from '../current-state';
import { greetSession } from '../telemetry/greet-session';
import { inOrder } from './in-order';

const logger = new Logger();

/** The stream may be faster than the handshake; waits in ms until a connection is open. */
const OPENING = [20, 40, 80, 160, 320, 640];

/** Gives what tells a connection the state, leaving out what it has been told; to `false` when there is nobody to tell. */
function teller(connection: Connection, channel: Channel) {
  const now = new Date().toISOString();
  const told = new Set<string>();
  return async (): Promise<boolean> => {
    const state = await currentState(channel, now);
    if (!state) {
      await closeSocket(connection);
      return false;
    }
    const texts = state.map((message) => JSON.stringify({ ...message, snapshot: true }));
    for (const text of texts.filter((each) => !told.has(each))) {
      if (!(await postToSocket(connection, text, OPENING))) return false;
      told.add(text);
    }
    return true;
  };
}

/** The state comes first, then the changes; what changed in between, nobody would have told. */
async function greet(record: StreamRecord): Promise<void> {
  const connection = newConnection(record);
  if (connection?.session) return greetSession(connection, OPENING);
  const channel = connection && channelOf(connection);
  if (!channel) return;
  const tellState = teller(connection, channel);
  if ((await tellState()) && (await startFollowing(connection))) await tellState();
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
