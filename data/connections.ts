import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { Refusal } from '../domain/refusal';
import { channelKinds, type Channel } from '../domain/status-event';
import { DeleteCommand, GetCommand, PutCommand, QueryCommand, ScanCommand, UpdateCommand } from './documents';
import type { QueryCommandOutput, ScanCommandOutput } from './documents';
import { refusedBy, wasMade } from './refused-write';
import { leaveShare, placeOf } from './share-viewers';
import { dynamodb, table } from './table';

const connection = z.object({
  /** What it follows: `job#<jobId>`. */
  channel: z.string(),
  connectionId: z.string(),
  /** The OAuth client whose it is; a viewer with a share link has none. */
  clientId: z.optional(z.string()),
  /** The share that a viewer watches. */
  shareCode: z.optional(z.string()),
  /** A telemetry socket, which has more items than this one. */
  session: z.optional(z.literal(true)),
  /** When that was opened, Unix seconds. */
  openedAt: z.optional(z.int()),
  /** When it has to end, Unix seconds: with its token, or when API Gateway closes it. */
  expiresAt: z.int(),
});

/** For how long its items may outlive it, in seconds: they are needed to say the end, and to close what is still open. */
export const AFTERWARDS = 3600;

/** A WebSocket connection that follows a channel. */
export type Connection = z.output<typeof connection>;

/** Of the items below a client's key, the one that counts its connections. */
const SLOTS = 'slots';
const slotsKey = (clientId: string) => ({ channel: `client#${clientId}`, connectionId: SLOTS });
/** A slot names its end, so that a connection that was never seen to leave gives it back. */
const slotOf = ({ connectionId, expiresAt }: Pick<Connection, 'connectionId' | 'expiresAt'>) =>
  placeOf(connectionId, expiresAt);
const slots = z.object({ held: z._default(z.set(z.string()), new Set()) });

/** What takes one of its client's places. */
type Held = Pick<Connection, 'connectionId' | 'expiresAt'> & { readonly clientId: string };

/** How a channel is named in the table. */
export const channelKey = ({ kind, id }: Channel) => `${kind}#${id}`;

/** The status channel that a connection follows, or undefined when it follows something else. */
export function channelOf({ channel }: Connection): Channel | undefined {
  const [name, id] = channel.split('#');
  const kind = channelKinds.find((each) => each === name);
  return kind && id ? { kind, id } : undefined;
}

async function takeSlot(held: Held, max: number): Promise<void> {
  await dynamodb.send(
    new UpdateCommand({
      TableName: table('CONNECTIONS'),
      Key: slotsKey(held.clientId),
      UpdateExpression: 'ADD held :slot',
      ConditionExpression: 'attribute_not_exists(held) OR size(held) < :max OR contains(held, :name)',
      ExpressionAttributeValues: { ':slot': new Set([slotOf(held)]), ':name': slotOf(held), ':max': max },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  );
}

const returnSlots = (clientId: string, names: ReadonlySet<string>) =>
  dynamodb.send(
    new UpdateCommand({
      TableName: table('CONNECTIONS'),
      Key: slotsKey(clientId),
      UpdateExpression: 'DELETE held :slots',
      ExpressionAttributeValues: { ':slots': names },
    }),
  );

/** The slots of connections that must have ended by `now`, among all that are taken. */
function expired(item: Record<string, unknown> | undefined, now: number): Set<string> {
  const { held } = slots.parse(item ?? {});
  return new Set([...held].filter((slot) => Number(slot.split(' ', 1)[0]) <= now));
}

/**
 * Takes one of a client's places, if fewer than `max` are taken: one atomic write counts, so that handshakes
 * at the same moment can't both get the last one.
 * @param now Unix seconds
 * @throws Refusal `too_many_requests`
 */
export async function takeConnectionPlace(held: Held, max: number, now: number): Promise<void> {
  try {
    await takeSlot(held, max);
  } catch (error) {
    const ended = expired(refusedBy(error).found, now);
    if (ended.size === 0) throw new Refusal('too_many_requests');
    await returnSlots(held.clientId, ended);
    await takeSlot(held, max).catch((again: unknown) => {
      if (again instanceof ConditionalCheckFailedException) throw new Refusal('too_many_requests');
      throw again;
    });
  }
}

/**
 * Lets a connection follow its channel, if its client has fewer than `max`.
 * @param now Unix seconds
 * @throws Refusal `too_many_requests`
 */
export async function addConnection(added: Connection & Held, max: number, now: number): Promise<void> {
  await takeConnectionPlace(added, max, now);
  // Until it has been greeted it is told of no change: its handshake goes on, and the state comes first.
  const item = { ...added, waits: true, ttl: added.expiresAt + AFTERWARDS };
  await dynamodb.send(new PutCommand({ TableName: table('CONNECTIONS'), Item: item }));
}

/**
 * Lets a connection hear of changes from now on.
 * @returns false when it has been forgotten meanwhile
 */
export const startFollowing = ({ channel, connectionId }: Connection): Promise<boolean> =>
  wasMade(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('CONNECTIONS'),
        Key: { channel, connectionId },
        UpdateExpression: 'REMOVE waits',
        ConditionExpression: 'attribute_exists(connectionId)',
      }),
    ),
  );

/** Whether a connection has not been forgotten yet. */
export async function isKnown({ channel, connectionId }: Connection): Promise<boolean> {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('CONNECTIONS'), Key: { channel, connectionId }, ConsistentRead: true }),
  );
  return Item !== undefined;
}

const forgetItem = ({ channel, connectionId }: Connection) =>
  dynamodb.send(new DeleteCommand({ TableName: table('CONNECTIONS'), Key: { channel, connectionId } }));

/** Forgets a connection and gives its place back; nothing happens when it is forgotten already. */
export async function forgetConnection(gone: Connection): Promise<void> {
  const { connectionId, clientId, shareCode } = gone;
  const items = gone.session ? await findConnection(connectionId) : [gone];
  const place = new Set([slotOf(gone)]);
  await Promise.all([
    ...items.map(forgetItem),
    clientId && returnSlots(clientId, place),
    shareCode && leaveShare(shareCode, place),
  ]);
}

/** What a connection follows. */
export async function findConnection(connectionId: string): Promise<Connection[]> {
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: table('CONNECTIONS'),
      IndexName: 'by-connection',
      KeyConditionExpression: 'connectionId = :connectionId',
      ExpressionAttributeValues: { ':connectionId': connectionId },
    }),
  );
  return Items.map((item) => connection.parse(item));
}

/** Those who follow a status channel, a page at a time so that memory stays flat; one query while there are few. */
export const followersOf = (channel: Channel) => followersOfKey(channelKey(channel));

/** Those who follow the telemetry of a device or of a group. */
export const telemetryFollowersOf = (id: string) => followersOfKey(`telemetry#${id}`);

async function* followersOfKey(key: string): AsyncGenerator<Connection[]> {
  let from: QueryCommandOutput['LastEvaluatedKey'];
  do {
    const page: QueryCommandOutput = await dynamodb.send(
      new QueryCommand({
        TableName: table('CONNECTIONS'),
        KeyConditionExpression: 'channel = :channel',
        FilterExpression: 'attribute_not_exists(waits)',
        ExpressionAttributeValues: { ':channel': key },
        ConsistentRead: true,
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    yield (page.Items ?? []).map((item) => connection.parse(item));
    from = page.LastEvaluatedKey;
  } while (from);
}

/** All connections that have been greeted, a page at a time. */
export async function* allConnections(): AsyncGenerator<Connection[]> {
  let from: ScanCommandOutput['LastEvaluatedKey'];
  do {
    const page: ScanCommandOutput = await dynamodb.send(
      new ScanCommand({
        TableName: table('CONNECTIONS'),
        // Slots and MQTT subscriptions are kept in the same table.
        FilterExpression: 'attribute_exists(expiresAt) AND attribute_not_exists(waits)',
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    yield (page.Items ?? []).map((item) => connection.parse(item));
    from = page.LastEvaluatedKey;
  } while (from);
}

/** A connection as a stream record holds it, or undefined for an item of another kind. */
export const connectionFromImage = (image: Record<string, unknown>): Connection | undefined =>
  'expiresAt' in image ? connection.parse(image) : undefined;
