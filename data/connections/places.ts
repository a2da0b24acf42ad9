/** Places that connections take, of a client or of a share: one item holds those that are taken, one atomic write counts. */
import * as z from 'zod/mini';
import { UpdateCommand } from '../store/document-client';
import { itemThatRefused, succeeded } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';

/** Whose place it is; Unix seconds. */
export interface PlaceHolder {
  readonly connectionId: string;
  readonly openedAt: number;
  readonly expiresAt: number;
}

/** A place names its end and its beginning, so that a connection that was never seen to leave gives it back. */
export const placeOf = ({ expiresAt, openedAt, connectionId }: PlaceHolder) =>
  `${expiresAt} ${openedAt} ${connectionId}`;

/** The other way round; what is none of ours reads as one that has ended. */
export function holderOf(place: string): PlaceHolder {
  const [expiresAt, openedAt, connectionId = ''] = place.split(' ');
  return { expiresAt: Number(expiresAt) || 0, openedAt: Number(openedAt) || 0, connectionId };
}

/**
 * The item that counts, by the name of whose places they are: `client#<clientId>`, `seats#<shareCode>`. The name is in both
 * keys, since the index by connection would have all of them in one partition otherwise, and with it everybody's limit.
 */
const keyOf = (owner: string) => ({ channel: owner, connectionId: owner });

/** Whether an item of the table counts places. */
export const countsPlaces = ({ channel, connectionId }: { channel: string; connectionId: string }) =>
  channel === connectionId;

const item = z.object({
  held: z._default(z.set(z.string()), new Set()),
  /** Somebody has been asked to tell how many are taken. */
  recount: z.optional(z.boolean()),
});
export type Places = z.output<typeof item>;

/** What such an item holds; nothing is taken when there is none. */
export const readPlaces = (found: Record<string, unknown> | undefined): Places => item.parse(found ?? {});

/** The places among `held` whose time is up at `now`, in Unix seconds. */
export const endedAmong = (held: ReadonlySet<string>, now: number): Set<string> =>
  new Set([...held].filter((place) => holderOf(place).expiresAt <= now));

/**
 * Takes a place if fewer than `max` are taken; to take one again that is taken already is fine.
 * @param ttl when the item may be forgotten, Unix seconds
 * @returns the places as they were before; undefined when all are taken
 */
async function take(owner: string, place: string, max: number, ttl: number): Promise<Places | undefined> {
  const { Attributes } = await dynamodb.send(
    new UpdateCommand({
      TableName: table('CONNECTIONS'),
      Key: keyOf(owner),
      UpdateExpression: 'ADD held :place SET recount = :true, #ttl = :ttl',
      ConditionExpression: 'attribute_not_exists(held) OR size(held) < :max OR contains(held, :name)',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: {
        ':place': new Set([place]),
        ':name': place,
        ':max': max,
        ':true': true,
        ':ttl': ttl,
      },
      ReturnValues: 'ALL_OLD',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  );
  return readPlaces(Attributes);
}

/**
 * Takes a place; those whose time is up are given back when there is no other.
 * @param now Unix seconds
 * @returns the places as they were before, or undefined when all are taken
 */
export async function takePlace(
  owner: string,
  holder: PlaceHolder,
  { max, ttl, now }: { max: number; ttl: number; now: number },
): Promise<Places | undefined> {
  const place = placeOf(holder);
  try {
    return await take(owner, place, max, ttl);
  } catch (error) {
    const ended = endedAmong(readPlaces(itemThatRefused(error).found).held, now);
    if (ended.size === 0) return undefined;
    const freed = await givePlacesBack(owner, ended);
    const before = await take(owner, place, max, ttl).catch((again: unknown) => {
      itemThatRefused(again);
      return undefined;
    });
    // Giving back has noted a recount too, which nobody has asked for yet.
    return before && { ...before, recount: freed ? freed.recount : before.recount };
  }
}

/**
 * Gives places back.
 * @returns the places as they were before, or undefined when none of them was taken (any more)
 */
export async function givePlacesBack(owner: string, places: ReadonlySet<string>): Promise<Places | undefined> {
  const [first] = places;
  if (first === undefined) return undefined;
  let before: Places | undefined;
  const given = await succeeded(
    dynamodb
      .send(
        new UpdateCommand({
          TableName: table('CONNECTIONS'),
          Key: keyOf(owner),
          UpdateExpression: 'DELETE held :places SET recount = :true',
          ConditionExpression: 'contains(held, :first)',
          ExpressionAttributeValues: { ':places': places, ':first': first, ':true': true },
          ReturnValues: 'ALL_OLD',
        }),
      )
      .then(({ Attributes }) => (before = readPlaces(Attributes))),
  );
  return given ? before : undefined;
}

/**
 * Says how many places are taken, and that whoever changes that from now on has to ask for it to be told again.
 * @param ttl when the item may be forgotten if this makes it, Unix seconds
 * @returns the number, and which count this is: a later one has a higher number
 */
export async function countPlaces(owner: string, ttl: number): Promise<{ taken: number; count: number }> {
  const { Attributes } = await dynamodb.send(
    new UpdateCommand({
      TableName: table('CONNECTIONS'),
      Key: keyOf(owner),
      // It may have been forgotten since somebody asked for the count.
      UpdateExpression: 'SET #ttl = if_not_exists(#ttl, :ttl) REMOVE recount ADD counts :one',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':one': 1, ':ttl': ttl },
      ReturnValues: 'ALL_NEW',
    }),
  );
  return { taken: readPlaces(Attributes).held.size, count: Number(Attributes?.['counts']) };
}
