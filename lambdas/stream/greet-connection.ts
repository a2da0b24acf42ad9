import { isDeepStrictEqual } from 'node:util';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { newConnection, type StreamRecord } from '../../data/changes';
import { channelOf, startFollowing, type Connection } from '../../data/connections';
import { closeSocket, postToSocket } from '../../data/sockets';
import type { Channel } from '../../domain/status-event';
import type { StatusMessage } from '../../domain/status-message';
import { currentState } from '../current-state';
import { greetSession } from '../telemetry/greet-session';
import { logger } from '../logger';
import { inOrder } from './in-order';

/** The stream may be faster than the handshake; waits in ms until a connection is open. */
const OPENING = [20, 40, 80, 160, 320, 640];

/** What a message is about: its channel may tell of more than one thing. */
const subjectOf = (message: StatusMessage) => (message.type === 'device.status' ? message.deviceId : message.type);

/** What has changed between two states, as a message of the channel. */
const changeOf = (before: StatusMessage, after: StatusMessage): StatusMessage =>
  before.type === 'job.status' && after.type === 'job.status' ? { ...after, previousState: before.jobState } : after;

/**
 * Gives what tells a connection the state, and when asked again what has changed since; to `false` when there is nobody
 * to tell.
 */
function teller(connection: Connection, channel: Channel) {
  const now = new Date().toISOString();
  const told = new Map<string, StatusMessage>();
  return async (): Promise<boolean> => {
    const state = await currentState(channel, now);
    if (!state) {
      await closeSocket(connection);
      return false;
    }
    for (const message of state) {
      const before = told.get(subjectOf(message));
      if (isDeepStrictEqual(before, message)) continue;
      const said = before ? changeOf(before, message) : { ...message, snapshot: true };
      if (!(await postToSocket(connection, JSON.stringify(said), OPENING))) return false;
      told.set(subjectOf(message), message);
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
      error,
    }),
  );
