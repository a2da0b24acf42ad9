import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand, QueryCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { QueryCommandOutput, ScanCommandOutput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { Refusal } from '../domain/refusal';
import { channelKinds, type Channel } from '../domain/status-event';
import { refusedBy } from './refused-write';
import { dynamodb, table } from './table';

const connection = z.object({
  /** What it follows: `job#<jobId>`. */
  channel: z.string(),
  connectionId: z.string(),
  /** The OAuth client whose it is. */
  clientId: z.string(),
  /** When it has to end, Unix seconds: with its token, or when API Gateway closes it. */
  expiresAt: z.int(),
});

/** A WebSocket connection that follows a channel. */
export type Connection = z.output<typeof connection>;

/** Of the items below a client's key, the one that counts its connections. */
const SLOTS = 'slots';
const slotsKey = (clientId: string) => ({ channel: `client#${clientId}`, connectionId: SLOTS });
/** A slot names its end, so that a connection that was never seen to leave gives it back. */
const slotOf = ({ connectionId, expiresAt }: Connection) => `${expiresAt} ${connectionId}`;
const slots = z.object({ held: z.set(z.string()).default(new Set()) });

/** How a channel is named in the table. */
export const channelKey = ({ kind, id }: Channel) => `${kind}#${id}`;

/** The status channel that a connection follows, or undefined when it follows something else. */
export function channelOf({ channel }: Connection): Channel | undefined {
  const [name, id] = channel.split('#');
  const kind = channelKinds.find((each) => each === name);
  return kind && id ? { kind, id } : undefined;
}

async function takeSlot(held: Connection, max: number): Promise<void> {
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
 * Lets a connection follow its channel, if its client has fewer than `max`: one atomic write counts, so
 * that handshakes at the same moment can't both get the last place.
 * @param now Unix seconds
 * @throws Refusal `too_many_requests`
 */
export async function addConnection(added: Connection, max: number, now: number): Promise<void> {
  try {
    await takeSlot(added, max);
  } catch (error) {
    const ended = expired(refusedBy(error).found, now);
    if (ended.size === 0) throw new Refusal('too_many_requests');
    await returnSlots(added.clientId, ended);
    await takeSlot(added, max).catch((again: unknown) => {
      if (again instanceof ConditionalCheckFailedException) throw new Refusal('too_many_requests');
      throw again;
    });
  }
  await dynamodb.send(new PutCommand({ TableName: table('CONNECTIONS'), Item: { ...added, ttl: added.expiresAt } }));
}

/** Forgets a connection and gives its place back; nothing happens when it is forgotten already. */
export async function forgetConnection(gone: Connection): Promise<void> {
  const { channel, connectionId, clientId } = gone;
  await Promise.all([
    dynamodb.send(new DeleteCommand({ TableName: table('CONNECTIONS'), Key: { channel, connectionId } })),
    returnSlots(clientId, new Set([slotOf(gone)])),
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

/** Those who follow a channel, a page at a time so that memory stays flat; one query while there are few. */
export async function* followersOf(channel: Channel): AsyncGenerator<Connection[]> {
  let from: QueryCommandOutput['LastEvaluatedKey'];
  do {
    const page: QueryCommandOutput = await dynamodb.send(
      new QueryCommand({
        TableName: table('CONNECTIONS'),
        KeyConditionExpression: 'channel = :channel',
        ExpressionAttributeValues: { ':channel': channelKey(channel) },
        ConsistentRead: true,
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    yield (page.Items ?? []).map((item) => connection.parse(item));
    from = page.LastEvaluatedKey;
  } while (from);
}

/** All connections, a page at a time. */
export async function* allConnections(): AsyncGenerator<Connection[]> {
  let from: ScanCommandOutput['LastEvaluatedKey'];
  do {
    const page: ScanCommandOutput = await dynamodb.send(
      new ScanCommand({
        TableName: table('CONNECTIONS'),
        // Slots and MQTT subscriptions are kept in the same table.
        FilterExpression: 'attribute_exists(clientId)',
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    yield (page.Items ?? []).map((item) => connection.parse(item));
    from = page.LastEvaluatedKey;
  } while (from);
}

/** A connection as a stream record holds it, or undefined for an item of another kind. */
export const connectionFromImage = (image: Record<string, unknown>): Connection | undefined =>
  'clientId' in image ? connection.parse(image) : undefined;
