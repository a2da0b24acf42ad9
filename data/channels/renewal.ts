/** How long an open connection lasts: each change is one conditional write, so that a closed connection stays closed. */
import type { Connection } from './connections';
import { succeeded } from '../store/conditional-write';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, table } from '../store/dynamodb';
import { update, type Update } from '../store/expression';

/** What a new token changes; `expiresAt` in Unix seconds, `scopes` for the session of a telemetry socket. */
interface Renewal {
  readonly expiresAt: number;
  readonly scopes?: readonly string[];
}

type Key = Pick<Connection, 'channel' | 'connectionId'>;

const change = ({ channel, connectionId }: Key, to: Update): Promise<boolean> =>
  succeeded(
    dynamodb.send(
      new UpdateCommand({ TableName: table('connections'), Key: { channel, connectionId }, ...update(to) }),
    ),
  );

/**
 * Lets a connection last until another time.
 * @param item of the session of a telemetry socket, or of the follower of a status channel
 * @param now Unix seconds
 * @returns false when the connection is closed or has expired: it stays as it is
 */
export const renewConnection = (item: Key, { expiresAt, scopes }: Renewal, now: number): Promise<boolean> =>
  change(item, { set: { expiresAt, scopes }, condition: 'expiresAt > :now', values: { now } });

/**
 * Lets a subscription of a telemetry socket last as long as its session. No effect on one that has ended.
 * @param expiresAt of the session, Unix seconds
 */
export async function extendSubscription(item: Key, expiresAt: number): Promise<void> {
  await change(item, { set: { expiresAt }, condition: 'attribute_exists(connectionId)' });
}

/**
 * Notes that the client of a connection is warned of its end.
 * @returns false when the connection has another end by now, or is closed
 */
export const noteWarning = ({ expiresAt, ...item }: Connection): Promise<boolean> =>
  change(item, { set: { warnedOf: expiresAt }, condition: 'expiresAt = :warnedOf' });
