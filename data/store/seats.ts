/**
 * Seats: the open connections of a client, the viewers of a share. An item holds the seats that are taken, so that one
 * atomic write takes the last one. The owner of many seats has several such items, its shards, each with a part of the
 * seats.
 */
import * as z from 'zod/mini';
import { UpdateCommand, type UpdateCommandOutput } from '@aws-sdk/lib-dynamodb';
import { isRepeat, itemThatRefused, wasRetried } from './conditional-write';
import { dynamodb, table } from './dynamodb';
import { update } from './expression';
import { queryToEnd } from './query';

/** A connection with a seat; times in Unix seconds. */
export interface SeatHolder {
  readonly connectionId: string;
  readonly openedAt: number;
  readonly expiresAt: number;
}

/** A seat contains when its connection expires and was opened, so that it can be released without a `$disconnect`. */
export const formatSeat = ({ expiresAt, openedAt, connectionId }: SeatHolder) =>
  `${expiresAt} ${openedAt} ${connectionId}`;

/** The reverse of {@link formatSeat}; text in any other form reads as a seat that has expired. */
export function parseSeat(seat: string): SeatHolder {
  const [expiresAt, openedAt, connectionId = ''] = seat.split(' ');
  return { expiresAt: Number(expiresAt) || 0, openedAt: Number(openedAt) || 0, connectionId };
}

const CLIENT = 'client#';
const SHARE = 'seats#';

/** Owner of the seats of a client's connections. */
export const clientSeats = (clientId: string) => `${CLIENT}${clientId}`;
/** Owner of the seats of a share's viewers. */
export const shareSeats = (shareCode: string) => `${SHARE}${shareCode}`;

/** The client or the share behind an owner. */
export function seatOwner(owner: string): { readonly clientId?: string; readonly shareCode?: string } {
  if (owner.startsWith(CLIENT)) return { clientId: owner.slice(CLIENT.length) };
  return owner.startsWith(SHARE) ? { shareCode: owner.slice(SHARE.length) } : {};
}

/** Before the number of a shard in its key; no id of a connection begins with it. */
const SHARD = '#';

/**
 * The owner is both keys of its item, which tells it from a connection; it is not in the index by socket. Further
 * shards are under the same channel, so that one query reads all of them.
 */
export const seatsKey = (owner: string, shard = 0) => ({
  channel: owner,
  connectionId: shard === 0 ? owner : `${SHARD}${shard}`,
});

type SeatsKey = ReturnType<typeof seatsKey>;

/** Whether an item of the connections table holds seats. */
export const isSeatCount = ({ channel, connectionId }: SeatsKey) =>
  channel === connectionId || connectionId.startsWith(SHARD);

/** The number of a shard, by its key; 0 for an owner with one item. */
export const shardNumber = ({ connectionId }: SeatsKey): number =>
  connectionId.startsWith(SHARD) ? Number(connectionId.slice(SHARD.length)) : 0;

const item = z.object({
  seats: z._default(z.set(z.string()), new Set()),
  /** A count of the seats has been requested and not been done yet. */
  recount: z.optional(z.boolean()),
});
export type Seats = z.output<typeof item>;

/** Parses the item of an owner; without an item no seat is taken. */
export const readSeats = (found: Record<string, unknown> | undefined): Seats => item.parse(found ?? {});

/**
 * The seats of an item as a write that sets the flag found them. If the SDK sent it twice, the flag may be its own:
 * then it counts as not set, so that a count is requested.
 */
const seatsBefore = (written: UpdateCommandOutput): Seats => ({
  ...readSeats(written.Attributes),
  ...(wasRetried(written) && { recount: false }),
});

/** The seats whose connection has expired at `now`, in Unix seconds. */
export const expiredSeats = (seats: ReadonlySet<string>, now: number): Set<string> =>
  new Set([...seats].filter((seat) => parseSeat(seat).expiresAt <= now));

/**
 * Takes a seat if fewer than `max` are taken; taking the same seat again succeeds.
 * @param ttl when the item may be deleted, Unix seconds
 * @returns the seats as they were before
 * @throws ConditionalCheckFailedException when all are taken
 */
async function take(key: SeatsKey, seat: string, max: number, ttl: number): Promise<Seats> {
  const taken = await dynamodb.send(
    new UpdateCommand({
      TableName: table('connections'),
      Key: key,
      ...update({
        set: { recount: true, ttl },
        add: { seats: new Set([seat]) },
        condition: 'attribute_not_exists(seats) OR size(seats) < :max OR contains(seats, :seat)',
        values: { max, seat },
      }),
      ReturnValues: 'ALL_OLD',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  );
  return seatsBefore(taken);
}

/** Of the seats of an item: how many there are, when it may be deleted and the time, both in Unix seconds. */
export interface SeatLimits {
  readonly max: number;
  readonly ttl: number;
  readonly now: number;
}

/**
 * Takes a seat. When all are taken, those of expired connections are released first.
 * @param shard of the owner's seats
 * @returns the seats as they were before, or undefined when all are taken
 */
export async function takeSeat(
  owner: string,
  holder: SeatHolder,
  { max, ttl, now }: SeatLimits,
  shard = 0,
): Promise<Seats | undefined> {
  const seat = formatSeat(holder);
  const key = seatsKey(owner, shard);
  try {
    return await take(key, seat, max, ttl);
  } catch (error) {
    const expired = expiredSeats(readSeats(itemThatRefused(error).found).seats, now);
    if (expired.size === 0) return undefined;
    const released = await release(key, expired);
    const before = await take(key, seat, max, ttl).catch((again: unknown) => {
      itemThatRefused(again);
      return undefined;
    });
    // The release has set the flag too, and no count has been requested for it yet.
    return before && { ...before, recount: released ? released.recount : before.recount };
  }
}

/**
 * Releases seats of an item. Nothing is written for an item that does not exist.
 * @returns the seats as they were before, or undefined when the first of these was not taken
 */
export const releaseSeats = (owner: string, holders: readonly SeatHolder[], shard = 0): Promise<Seats | undefined> =>
  release(seatsKey(owner, shard), new Set(holders.map(formatSeat)));

async function release(key: SeatsKey, seats: ReadonlySet<string>): Promise<Seats | undefined> {
  const [first] = seats;
  if (first === undefined) return undefined;
  try {
    const released = await dynamodb.send(
      new UpdateCommand({
        TableName: table('connections'),
        Key: key,
        ...update({
          set: { recount: true },
          subtract: { seats },
          condition: 'contains(seats, :first)',
          values: { first },
        }),
        ReturnValues: 'ALL_OLD',
      }),
    );
    return readSeats(released.Attributes);
  } catch (error) {
    itemThatRefused(error);
    return isRepeat(error) ? { seats: new Set(seats), recount: false } : undefined;
  }
}

/**
 * Reads all shards of an owner's seats, strongly consistent.
 * @returns their seats by the number of the shard; those without an item are missing
 */
export async function readShards(owner: string): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const found = await queryToEnd({
    TableName: table('connections'),
    KeyConditionExpression: 'channel = :owner',
    ExpressionAttributeValues: { ':owner': owner },
    ConsistentRead: true,
  });
  return new Map(found.map((each) => [shardNumber(each as SeatsKey), readSeats(each).seats]));
}

/**
 * Notes that the seats of another shard than the first have changed.
 * @param ttl when the item may be deleted if this creates it, Unix seconds
 * @returns whether no count had been requested, as far as is known
 */
export async function noteChange(owner: string, ttl: number): Promise<boolean> {
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: table('connections'),
        Key: seatsKey(owner),
        ...update({
          set: { recount: true, sharded: true },
          setOnce: { ttl },
          condition: 'attribute_not_exists(recount) OR attribute_not_exists(sharded)',
        }),
      }),
    );
    return true;
  } catch (error) {
    itemThatRefused(error);
    return isRepeat(error);
  }
}

/**
 * Counts the seats that are taken and clears the recount flag, so that the next change requests a new count. The shards
 * are read after that: a seat that is taken later is counted, or requests a count.
 * @param ttl when the item may be deleted if this creates it, Unix seconds
 * @returns `taken`: the number of seats; `count`: a number that increases with each count
 */
export async function countSeats(owner: string, ttl: number): Promise<{ taken: number; count: number }> {
  const { Attributes } = await dynamodb.send(
    new UpdateCommand({
      TableName: table('connections'),
      Key: seatsKey(owner),
      // The item may have been deleted since the count was requested.
      ...update({ setOnce: { ttl }, remove: ['recount'], add: { counts: 1 } }),
      ReturnValues: 'ALL_NEW',
    }),
  );
  const shards = Attributes?.['sharded'] ? await readShards(owner) : [[0, readSeats(Attributes).seats] as const];
  const taken = [...shards].reduce((sum, [, seats]) => sum + seats.size, 0);
  return { taken, count: Number(Attributes?.['counts']) };
}
