import * as z from 'zod/mini';
import { LONGEST_CONNECTION_S } from '../../domain/channels/longest-connection';
import { Refusal } from '../../domain/values/refusal';
import { kinds, type Resource } from '../../domain/values/id';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import {
  clientSeats,
  parseSeat as holderIn,
  readShards,
  releaseSeats,
  takeSeat,
  type SeatHolder,
} from '../store/seats';
import { releaseViewerSeats } from '../shares/share-viewers';
import { dynamodb, table } from '../store/dynamodb';
import { queryToEnd } from '../store/query';

export const connection = z.object({
  /** Key of the channel that it follows, such as `job#<jobId>`. */
  channel: z.string(),
  connectionId: z.string(),
  /** The OAuth client; a viewer with a share link has none. */
  clientId: z.optional(z.string()),
  /** The share that a viewer watches. */
  shareCode: z.optional(z.string()),
  /** Where the seat of a viewer is, unless it is in the first shard. */
  shard: z.optional(z.int()),
  /** A telemetry socket, which has several items. */
  session: z.optional(z.literal(true)),
  /** The MQTT topic where its samples, and the number of viewers of its share, are published instead. */
  broadcast: z.optional(z.string()),
  /** Unix seconds. */
  openedAt: z.int(),
  /**
   * When it must be closed, Unix seconds: when its token expires, or when API Gateway closes it. What a partner's telemetry
   * socket follows keeps the end of the token with which it subscribed, and follows the session beyond it. A viewer's
   * is the end of its share to the millisecond, so it is not a whole number: rounded up, samples would follow the final
   * message.
   */
  expiresAt: z.number(),
});

/** How long items are retained after the connection, in seconds: they are needed to send the final message and to close it. */
const ITEM_TTL_AFTER_END_S = 3600;

/**
 * What only the stored items of a connection have: `socketId`, the key of the index by socket, which therefore holds neither
 * seats nor MQTT subscriptions; `ttl`, when they may be deleted, Unix seconds: its token may be renewed until its longest end.
 */
export const storedAttributes = ({ connectionId, openedAt }: Pick<Connection, 'connectionId' | 'openedAt'>) => ({
  socketId: connectionId,
  ttl: openedAt + LONGEST_CONNECTION_S + ITEM_TTL_AFTER_END_S,
});

/** A WebSocket connection that follows a channel. */
export type Connection = z.output<typeof connection>;

/** The resource whose status channel a connection follows, or undefined when it follows something else. */
export function followedResource({ channel }: Connection): Resource | undefined {
  const [name, id] = channel.split('#');
  const kind = kinds.find((each) => each === name);
  return kind && id ? { kind, id } : undefined;
}

/** Longer than any connection lasts, in seconds. */
const SEATS_TTL_S = 86_400;

/** A connection of an OAuth client, which occupies one of its seats. */
type SeatedConnection = Pick<Connection, 'connectionId' | 'openedAt'> & { readonly clientId: string };

/**
 * The seat of a client's connection. It names the longest end that the connection can have, not that of its token: a renewal
 * then leaves the seat as it is, and whoever read the connection before a renewal still releases the right one.
 */
const holderOf = ({ connectionId, openedAt }: Pick<Connection, 'connectionId' | 'openedAt'>): SeatHolder => ({
  connectionId,
  openedAt,
  expiresAt: openedAt + LONGEST_CONNECTION_S,
});

/**
 * Takes one of a client's `max` seats by one atomic write, so that two handshakes can't both get the last one.
 * @param now Unix seconds
 * @throws Refusal `too_many_requests`
 */
export async function takeConnectionSeat(holder: SeatedConnection, max: number, now: number): Promise<void> {
  const ttl = now + SEATS_TTL_S;
  if (!(await takeSeat(clientSeats(holder.clientId), holderOf(holder), { max, ttl, now })))
    throw new Refusal('too_many_requests');
}

/**
 * The ids of the sockets that a client has open at `now` (Unix seconds); the last of them may be in its handshake, or
 * just closed.
 */
export async function readOpenSockets(clientId: string, now: number): Promise<string[]> {
  const seats = [...(await readShards(clientSeats(clientId))).values()].flatMap((each) => [...each]);
  return seats
    .map(holderIn)
    .filter(({ expiresAt }) => expiresAt > now)
    .map(({ connectionId }) => connectionId);
}

/** Releases seats of a client. */
export const releaseConnectionSeats = (clientId: string, holders: readonly SeatHolder[]) =>
  releaseSeats(clientSeats(clientId), holders);

/**
 * Stores a connection, which follows its channel from then on, if its client has fewer than `max`.
 * @param now Unix seconds
 * @throws Refusal `too_many_requests`; no seat is taken then, nor when the write fails
 */
export async function addConnection(added: Connection & SeatedConnection, max: number, now: number): Promise<void> {
  await takeConnectionSeat(added, max, now);
  // Messages are buffered until the snapshot is sent: the handshake is not complete yet, and the snapshot must come first.
  const item = { ...added, bufferingSince: now, ...storedAttributes(added) };
  try {
    await dynamodb.send(new PutCommand({ TableName: table('connections'), Item: item }));
  } catch (error) {
    // API Gateway sends no $disconnect for a failed handshake, so nothing else would release the seat.
    await releaseConnectionSeats(added.clientId, [holderOf(added)]);
    throw error;
  }
}

/** Whether the item of a connection still exists. */
export async function connectionExists({ channel, connectionId }: Connection): Promise<boolean> {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('connections'), Key: { channel, connectionId }, ConsistentRead: true }),
  );
  return Item !== undefined;
}

const deleteItem = ({ channel, connectionId }: Connection) =>
  dynamodb.send(new DeleteCommand({ TableName: table('connections'), Key: { channel, connectionId } }));

/** Releases the seat of a connection; each of its items names the client or the share. */
const releaseSeatOf = (one: Connection) =>
  Promise.all([
    one.clientId && releaseConnectionSeats(one.clientId, [holderOf(one)]),
    one.shareCode && releaseViewerSeats(one.shareCode, [one], one.shard),
  ]);

/**
 * Deletes the items of a connection, if any, after releasing its seat: if the items were deleted first and the release
 * failed, the owner of the seat would no longer be known.
 */
export async function removeConnection(removed: Connection): Promise<void> {
  await releaseSeatOf(removed);
  const items = removed.session ? await findConnection(removed.connectionId) : [removed];
  await Promise.all(items.map(deleteItem));
}

/**
 * {@link removeConnection} for a connection of which only the id is known.
 * @param hasSeat whether it still has a seat: the seats of a share end with it
 * @returns its items, those that were found
 */
export async function removeConnectionById(
  connectionId: string,
  hasSeat: (one: Connection) => Promise<boolean>,
): Promise<readonly Connection[]> {
  const items = await findConnection(connectionId);
  const [one] = items;
  // One seat, however many items.
  if (one && (await hasSeat(one))) await releaseSeatOf(one);
  await Promise.all(items.map(deleteItem));
  return items;
}

/** All items of a connection, from the index by socket (eventually consistent). */
export async function findConnection(connectionId: string): Promise<Connection[]> {
  const found = await queryToEnd({
    TableName: table('connections'),
    IndexName: 'by-socket',
    KeyConditionExpression: 'socketId = :connectionId',
    ExpressionAttributeValues: { ':connectionId': connectionId },
  });
  return found.map((item) => connection.parse(item));
}
