import * as z from 'zod/mini';
import { Refusal } from '../../domain/refusal';
import { channelKinds, type Channel } from '../../domain/status-event';
import { DeleteCommand, GetCommand, PutCommand, QueryCommand } from '../store/document-client';
import { givePlacesBack, placeOf, takePlace, type PlaceHolder } from './places';
import { leaveSeats } from '../shares/share-viewers';
import { dynamodb, table } from '../store/dynamodb';

export const connection = z.object({
  /** What it follows: `job#<jobId>`. */
  channel: z.string(),
  connectionId: z.string(),
  /** The OAuth client whose it is; a viewer with a share link has none. */
  clientId: z.optional(z.string()),
  /** The share that a viewer watches. */
  shareCode: z.optional(z.string()),
  /** A telemetry socket, which has more items than this one. */
  session: z.optional(z.literal(true)),
  /** When it was opened, Unix seconds. */
  openedAt: z.int(),
  /** When it has to end, Unix seconds: with its token, or when API Gateway closes it. */
  expiresAt: z.int(),
});

/** For how long its items may outlive it, in seconds: they are needed to say the end, and to close what is still open. */
export const KEPT_AFTERWARDS_S = 3600;

/** A WebSocket connection that follows a channel. */
export type Connection = z.output<typeof connection>;

/** How a channel is named in the table. */
export const channelKey = ({ kind, id }: Channel) => `${kind}#${id}`;

/** The status channel that a connection follows, or undefined when it follows something else. */
export function channelOf({ channel }: Connection): Channel | undefined {
  const [name, id] = channel.split('#');
  const kind = channelKinds.find((each) => each === name);
  return kind && id ? { kind, id } : undefined;
}

const CLIENT = 'client#';
const placesOf = (clientId: string) => `${CLIENT}${clientId}`;

/** For how long the count of a client's places is kept, in seconds: longer than any connection lasts. */
const PLACES_KEPT_S = 86_400;

/** What takes one of its client's places. */
type Held = Pick<Connection, 'connectionId' | 'expiresAt' | 'openedAt'> & { readonly clientId: string };

/**
 * Takes one of a client's places, if fewer than `max` are taken: one atomic write counts, so that handshakes
 * at the same moment can't both get the last one.
 * @param now Unix seconds
 * @throws Refusal `too_many_requests`
 */
export async function takeConnectionPlace(held: Held, max: number, now: number): Promise<void> {
  const ttl = now + PLACES_KEPT_S;
  if (!(await takePlace(placesOf(held.clientId), held, { max, ttl, now }))) throw new Refusal('too_many_requests');
}

/** Gives places of a client back. */
export const returnConnectionPlaces = (clientId: string, held: readonly PlaceHolder[]) =>
  givePlacesBack(placesOf(clientId), new Set(held.map(placeOf)));

/** The client whose places an item counts, or undefined for any other item. */
export const clientOfPlaces = (channel: string): string | undefined =>
  channel.startsWith(CLIENT) ? channel.slice(CLIENT.length) : undefined;

/**
 * Lets a connection follow its channel, if its client has fewer than `max`.
 * @param now Unix seconds
 * @throws Refusal `too_many_requests`; nothing is taken then, nor when the write fails
 */
export async function addConnection(added: Connection & Held, max: number, now: number): Promise<void> {
  await takeConnectionPlace(added, max, now);
  // Until it has been greeted what it is told is held back: its handshake goes on, and the state comes first.
  const item = { ...added, waits: now, ttl: added.expiresAt + KEPT_AFTERWARDS_S };
  try {
    await dynamodb.send(new PutCommand({ TableName: table('CONNECTIONS'), Item: item }));
  } catch (error) {
    // A handshake that fails is followed by no end, so nothing else would give the place back.
    await returnConnectionPlaces(added.clientId, [added]);
    throw error;
  }
}

/** Whether a connection has not been forgotten yet. */
export async function isKnown({ channel, connectionId }: Connection): Promise<boolean> {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('CONNECTIONS'), Key: { channel, connectionId }, ConsistentRead: true }),
  );
  return Item !== undefined;
}

const forgetItem = ({ channel, connectionId }: Connection) =>
  dynamodb.send(new DeleteCommand({ TableName: table('CONNECTIONS'), Key: { channel, connectionId } }));

/** Gives the place of a connection back; every item of a connection names whose it is. */
const givePlaceBack = (one: Connection) =>
  Promise.all([
    one.clientId && returnConnectionPlaces(one.clientId, [one]),
    one.shareCode && leaveSeats(one.shareCode, [one]),
  ]);

/**
 * Forgets a connection; nothing happens when it is forgotten already. Its place is given back first: were its items gone
 * and the place still taken, nobody would know any more whose it is.
 */
export async function forgetConnection(gone: Connection): Promise<void> {
  await givePlaceBack(gone);
  const items = gone.session ? await findConnection(gone.connectionId) : [gone];
  await Promise.all(items.map(forgetItem));
}

/** The same for one of which only the id is known. */
export async function forgetConnectionById(connectionId: string): Promise<void> {
  const items = await findConnection(connectionId);
  const [one] = items;
  // Once, however much it follows.
  if (one) await givePlaceBack(one);
  await Promise.all(items.map(forgetItem));
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
