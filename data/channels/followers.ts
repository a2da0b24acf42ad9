/** Connections that follow a channel, and the messages that are buffered for those still waiting for their snapshot. */
import { channelKey } from '../store/channel-key';
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { Resource } from '../../domain/values/id';
import { sequences, type Sequences } from '../../domain/channels/sequence';
import { connection, type Connection } from './connections';
import { GetCommand, UpdateCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { parseItems } from '../store/query';
import { itemThatRefused, succeeded } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';
import { update } from '../store/expression';

const buffered = z.object({
  text: z.string(),
  /** The final message, after which the socket is closed. */
  endsChannel: z.optional(z.boolean()),
});
export type BufferedMessage = z.output<typeof buffered>;

const follower = z.extend(connection, {
  /** Since when it has been waiting for its snapshot, Unix seconds; messages are buffered meanwhile. */
  bufferingSince: z.optional(z.int()),
  /**
   * Identifies its present or last waiting; none: that of a handshake. A snapshot ends only the waiting that it was
   * requested for.
   */
  waiting: z.optional(z.string()),
  /** Samples that arrive together are sent to it as one message. */
  batch: z.optional(z.literal(true)),
  /** The `expiresAt` that its client has been warned of. */
  warnedOf: z.optional(z.int()),
  /** Sequences of what it was sent while it waited, so that no older message follows. */
  sentSequences: z.optional(sequences),
});
/** A connection that follows a channel or waits for its snapshot. */
export type Follower = z.output<typeof follower>;

/** A connection that waits for its snapshot. */
export type WaitingFollower = Connection & Pick<Follower, 'waiting'>;

/** Parses an item of the table. @throws ZodError when it is not a follower */
export const readFollower = (item: unknown): Follower => follower.parse(item);

const withBuffer = z.object({ buffered: z._default(z.array(buffered), []) });

/** Limits the size of the item, which is read for each message: only so many subjects are kept, those of the snapshot first. */
const MAX_SEQUENCES = 100;

/** Yields the followers of a status channel page by page, so that memory stays constant; one query for up to 1 MB. */
export const findFollowers = (channel: Resource) => followersOfKey(channelKey(channel));

/** Yields the followers of the telemetry of a device or a group. */
export const findTelemetryFollowers = (id: string) => followersOfKey(`telemetry#${id}`);

async function* followersOfKey(key: string): AsyncGenerator<Follower[]> {
  const pages = paginateQuery(
    { client: dynamodb },
    {
      TableName: table('connections'),
      KeyConditionExpression: 'channel = :channel',
      ExpressionAttributeValues: { ':channel': key },
      ConsistentRead: true,
    },
  );
  for await (const page of pages) {
    yield parseItems(page.Items ?? [], readFollower);
  }
}

const itemOf = ({ channel, connectionId }: Connection) => ({
  TableName: table('connections'),
  Key: { channel, connectionId },
});

/**
 * Buffers messages for a follower that waits for its snapshot.
 * @returns undefined when they were buffered, or when it has been deleted: it is sent nothing more; otherwise the
 *   follower is not waiting: the sequences of what it was sent while it waited, so that the caller sends newer messages
 *   directly
 */
export async function bufferMessages(
  follower: Connection,
  messages: readonly BufferedMessage[],
): Promise<Sequences | undefined> {
  try {
    await dynamodb.send(
      new UpdateCommand({
        ...itemOf(follower),
        ...update({ append: { buffered: messages }, condition: 'attribute_exists(bufferingSince)' }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return undefined;
  } catch (error) {
    const { found } = itemThatRefused(error);
    return found && (readFollower(found).sentSequences ?? {});
  }
}

/**
 * Stops delivery to a follower that has missed a message, for good, also if it still waits for its snapshot: the
 * heartbeat closes a socket that waits too long, so its client reconnects and gets another one. No effect on a deleted
 * follower.
 */
export async function stopDelivery(follower: Connection): Promise<void> {
  await succeeded(
    dynamodb.send(
      new UpdateCommand({
        ...itemOf(follower),
        ...update({
          set: { waiting: randomUUID() },
          setOnce: { bufferingSince: Math.floor(Date.now() / 1000) },
          condition: 'attribute_exists(connectionId)',
        }),
      }),
    ),
  );
}

/** The messages buffered for a follower so far; none for a deleted one. */
export async function readBuffered(follower: Connection): Promise<readonly BufferedMessage[]> {
  const { Item } = await dynamodb.send(new GetCommand({ ...itemOf(follower), ConsistentRead: true }));
  return withBuffer.parse(Item ?? {}).buffered;
}

/**
 * Ends the waiting of a follower, unless more messages are buffered than were sent to it.
 * @param sentSequences of the snapshot, and of the buffered messages that were sent
 * @param count how many of the buffered messages were sent
 * @returns all buffered messages when some are still to be sent; `follows` when the follower now gets messages
 *   directly, or was deleted; `replaced` when it waits for another snapshot: it was subscribed again, or has missed a
 *   message
 */
export async function startFollowing(
  follower: WaitingFollower,
  sentSequences: Sequences,
  count: number,
): Promise<readonly BufferedMessage[] | 'follows' | 'replaced'> {
  const { waiting } = follower;
  const kept = Object.fromEntries(Object.entries(sentSequences).slice(0, MAX_SEQUENCES));
  const isThis = waiting === undefined ? 'attribute_not_exists(waiting)' : 'waiting = :waiting';
  try {
    await dynamodb.send(
      new UpdateCommand({
        ...itemOf(follower),
        ...update({
          set: { sentSequences: kept },
          remove: ['bufferingSince', 'buffered'],
          condition: `attribute_exists(bufferingSince) AND ${isThis} AND (attribute_not_exists(buffered) OR size(buffered) <= :count)`,
          values: { count, waiting },
        }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return 'follows';
  } catch (error) {
    const { found } = itemThatRefused(error);
    if (!found) return 'follows';
    const now = readFollower(found);
    if (now.waiting !== waiting) return 'replaced';
    // Ended by this write already, whose answer was lost, or by an earlier invocation for the same request.
    return now.bufferingSince === undefined ? 'follows' : withBuffer.parse(found).buffered;
  }
}
