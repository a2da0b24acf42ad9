/** Who follows a channel, and what is held back for those who have not been told its state yet. */
import * as z from 'zod/mini';
import type { Channel } from '../../domain/status-event';
import { sequences, type Sequences } from '../../domain/sequence';
import { channelKey, connection, type Connection } from './connections';
import { GetCommand, QueryCommand, UpdateCommand, type QueryCommandOutput } from '../store/document-client';
import { readable } from '../store/readable';
import { itemThatRefused, succeeded } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';

/** A message for a follower. */
const held = z.object({
  text: z.string(),
  /** The channel ends with it. */
  last: z.optional(z.boolean()),
});
export type HeldMessage = z.output<typeof held>;

const follower = z.extend(connection, {
  /** Since when it waits for the state, Unix seconds: what happens meanwhile is held back for it. */
  waits: z.optional(z.int()),
  /** What it was told of the state, so that nothing older follows. */
  told: z.optional(sequences),
});
/** A connection that follows a channel, or is about to. */
export type Follower = z.output<typeof follower>;

/** A follower as it was read. @throws ZodError when the item is none */
export const readFollower = (item: unknown): Follower => follower.parse(item);

const greeted = z.object({ held: z._default(z.array(held), []) });

/** More of them would make an item that is read with each message too large. */
const MOST_TOLD = 100;

/** Those who follow a status channel, a page at a time so that memory stays flat; one query while there are few. */
export const followersOf = (channel: Channel) => followersOfKey(channelKey(channel));

/** Those who follow the telemetry of a device or of a group. */
export const telemetryFollowersOf = (id: string) => followersOfKey(`telemetry#${id}`);

async function* followersOfKey(key: string): AsyncGenerator<Follower[]> {
  let from: QueryCommandOutput['LastEvaluatedKey'];
  do {
    const page: QueryCommandOutput = await dynamodb.send(
      new QueryCommand({
        TableName: table('CONNECTIONS'),
        KeyConditionExpression: 'channel = :channel',
        ExpressionAttributeValues: { ':channel': key },
        ConsistentRead: true,
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    yield readable(page.Items ?? [], readFollower);
    from = page.LastEvaluatedKey;
  } while (from);
}

const itemOf = ({ channel, connectionId }: Connection) => ({
  TableName: table('CONNECTIONS'),
  Key: { channel, connectionId },
});

/**
 * Holds messages back for a follower that is being told the state.
 * @returns undefined when they are; else what it was told of the state, for it does not wait (any more): it is to be told
 *   at once, if that is news
 */
export async function holdBack(waiting: Connection, messages: readonly HeldMessage[]): Promise<Sequences | undefined> {
  try {
    await dynamodb.send(
      new UpdateCommand({
        ...itemOf(waiting),
        UpdateExpression: 'SET held = list_append(if_not_exists(held, :none), :messages)',
        ConditionExpression: 'attribute_exists(waits)',
        ExpressionAttributeValues: { ':none': [], ':messages': messages },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return undefined;
  } catch (error) {
    const { found } = itemThatRefused(error);
    return (found && readFollower(found).told) ?? {};
  }
}

/**
 * Lets a follower wait that has missed a message without knowing it: nothing more is told to it, and the heartbeat closes it,
 * so that its client comes back and begins with the state. One that has been forgotten stays so.
 */
export async function letWait(missed: Connection): Promise<void> {
  await succeeded(
    dynamodb.send(
      new UpdateCommand({
        ...itemOf(missed),
        UpdateExpression: 'SET waits = if_not_exists(waits, :now)',
        ConditionExpression: 'attribute_exists(connectionId)',
        ExpressionAttributeValues: { ':now': Math.floor(Date.now() / 1000) },
      }),
    ),
  );
}

/** What has been held back for a follower so far; nothing for one that has been forgotten. */
export async function readHeldBack(waiting: Connection): Promise<readonly HeldMessage[]> {
  const { Item } = await dynamodb.send(new GetCommand({ ...itemOf(waiting), ConsistentRead: true }));
  return greeted.parse(Item ?? {}).held;
}

/**
 * Lets a follower hear of changes at once from now on, unless more has been held back for it than it has been told.
 * @param told of the state
 * @param count how many of the messages that were held back it has been told
 * @returns all that was held back when it has to be told more; undefined when it follows now, or has been forgotten
 */
export async function startFollowing(
  waiting: Connection,
  told: Sequences,
  count: number,
): Promise<readonly HeldMessage[] | undefined> {
  const tells = Object.keys(told).length <= MOST_TOLD;
  try {
    await dynamodb.send(
      new UpdateCommand({
        ...itemOf(waiting),
        UpdateExpression: `${tells ? 'SET told = :told ' : ''}REMOVE waits, held`,
        ConditionExpression: 'attribute_exists(connectionId) AND (attribute_not_exists(held) OR size(held) <= :count)',
        ExpressionAttributeValues: { ':count': count, ...(tells && { ':told': told }) },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return undefined;
  } catch (error) {
    const { found } = itemThatRefused(error);
    return found && greeted.parse(found).held;
  }
}
