import * as z from 'zod/mini';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { succeeded } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';
import { queryToEnd } from '../store/query';

/**
 * An MQTT subscription, or a tombstone of one: IoT's lifecycle events may repeat and arrive out of order, so the event with
 * the later time wins. Stored in the connections table, under a key of the client.
 */
const subscription = z.object({ connectionId: z.string(), at: z.number(), subscribed: z.boolean(), ttl: z.number() });

/** A session, and so its subscriptions, lasts no longer than a token, in seconds. */
export const MAX_SESSION_S = 3600;

/** For how long AWS IoT may go on listing a cancelled subscription; an estimate, since AWS names no time. */
const LISTING_DELAY_MS = 60_000;

const mqttClientKey = (clientId: string) => `mqtt#${clientId}`;
const nameOf = (mqttClientId: string, topic: string) => `${mqttClientId} ${topic}`;
type Subscription = z.output<typeof subscription>;
const mqttClientOf = ({ connectionId }: Subscription) => connectionId.slice(0, connectionId.indexOf(' '));

/** In place of a topic: the item with the time when the MQTT client's session last began or ended. */
const SESSION = '';
const isSession = (note: Subscription) => note.connectionId === nameOf(mqttClientOf(note), SESSION);

/**
 * Records that an MQTT client subscribed to a topic or unsubscribed from it.
 * @param at time of the event, Unix milliseconds; no effect when a later event is recorded
 */
export async function recordSubscription(
  clientId: string,
  mqttClientId: string,
  topic: string,
  subscribed: boolean,
  at: number,
): Promise<void> {
  const note = {
    connectionId: nameOf(mqttClientId, topic),
    at,
    subscribed: subscribed,
    ttl: Math.ceil(at / 1000) + MAX_SESSION_S,
  };
  await succeeded(
    dynamodb.send(
      new PutCommand({
        TableName: table('connections'),
        Item: { channel: mqttClientKey(clientId), ...note },
        ConditionExpression: 'attribute_not_exists(connectionId) OR #at < :at',
        ExpressionAttributeNames: { '#at': 'at' },
        ExpressionAttributeValues: { ':at': at },
      }),
    ),
  );
}

async function listSubscriptions(clientId: string, prefix = '') {
  const found = await queryToEnd({
    TableName: table('connections'),
    KeyConditionExpression: `channel = :key${prefix && ' AND begins_with(connectionId, :prefix)'}`,
    ExpressionAttributeValues: { ':key': mqttClientKey(clientId), ...(prefix && { ':prefix': prefix }) },
    ConsistentRead: true,
  });
  return found.map((item) => subscription.parse(item));
}

/**
 * The subscriptions of an OAuth client over all its connections, without those that were cancelled or whose session has ended;
 * and when the session of each MQTT client last began or ended, if that is known.
 */
async function subscriptionsOf(clientId: string, now: number) {
  const notes = await listSubscriptions(clientId);
  const sessions = new Map(notes.filter(isSession).map((note) => [mqttClientOf(note), note.at]));
  const active = notes.filter(
    (note) => note.subscribed && note.ttl * 1000 > now && note.at >= (sessions.get(mqttClientOf(note)) ?? 0),
  );
  return { active, sessions };
}

/**
 * The number of an OAuth client's subscriptions, over all its connections.
 * @param now Unix milliseconds
 */
export const countSubscriptions = async (clientId: string, now: number): Promise<number> =>
  (await subscriptionsOf(clientId, now)).active.length;

/** The topics that an OAuth client is subscribed to, once for each of its connections. @param now Unix milliseconds */
export const readTopics = async (clientId: string, now: number): Promise<string[]> =>
  (await subscriptionsOf(clientId, now)).active.map(({ connectionId }) =>
    connectionId.slice(connectionId.indexOf(' ') + 1),
  );

/** Which MQTT clients must not stay connected. */
export interface SessionLimits {
  /** Subscriptions of the OAuth client, over all its connections: the oldest ones may stay. */
  readonly max: number;
  /** Sessions that began before this must end, Unix milliseconds. */
  readonly from: number;
  /** Unix milliseconds. */
  readonly now: number;
}

/** The MQTT client ids of an OAuth client that have subscriptions beyond its limits. */
export async function clientsBeyond(clientId: string, { max, from, now }: SessionLimits): Promise<string[]> {
  const { active, sessions } = await subscriptionsOf(clientId, now);
  const old = active.filter((note) => (sessions.get(mqttClientOf(note)) ?? from) < from);
  const oldestFirst = active.toSorted(
    (one, other) => one.at - other.at || (one.connectionId < other.connectionId ? -1 : 1),
  );
  return [...new Set([...old, ...oldestFirst.slice(max)].map(mqttClientOf))];
}

/** The MQTT clients of an OAuth client that have connected or subscribed within the longest session; some may be gone. */
export const readMqttClients = async (clientId: string): Promise<string[]> => [
  ...new Set((await listSubscriptions(clientId)).map(mqttClientOf)),
];

/**
 * The topics of an MQTT client that are not recorded as subscribed since its session began, nor as cancelled within the last
 * minute: their events were lost.
 * @param topics those that AWS IoT lists
 * @param listedAt Unix milliseconds
 */
export async function missingSubscriptions(
  clientId: string,
  mqttClientId: string,
  topics: readonly string[],
  listedAt: number,
): Promise<string[]> {
  const found = await listSubscriptions(clientId, nameOf(mqttClientId, ''));
  const notes = new Map(found.map((note) => [note.connectionId, note]));
  const began = notes.get(nameOf(mqttClientId, SESSION))?.at ?? 0;
  return topics.filter((topic) => {
    const note = notes.get(nameOf(mqttClientId, topic));
    if (!note || note.at < began) return true;
    return note.subscribed ? note.ttl * 1000 <= listedAt : note.at <= listedAt - LISTING_DELAY_MS;
  });
}

/**
 * Invalidates the subscriptions of an MQTT client from before its session began or ended, also those whose events arrive later.
 * @param at Unix milliseconds
 */
export const invalidateSubscriptions = (clientId: string, mqttClientId: string, at: number): Promise<void> =>
  recordSubscription(clientId, mqttClientId, SESSION, false, at);

/**
 * Invalidates the subscriptions of an MQTT client from before its session ended, and deletes them.
 * @param at Unix milliseconds
 */
export async function clearSubscriptions(clientId: string, mqttClientId: string, at: number): Promise<void> {
  await invalidateSubscriptions(clientId, mqttClientId, at);
  const notes = await listSubscriptions(clientId, nameOf(mqttClientId, ''));
  const old = notes.filter((note) => !isSession(note) && note.at < at);
  await Promise.all(
    old.map(({ connectionId }) =>
      dynamodb.send(
        new DeleteCommand({ TableName: table('connections'), Key: { channel: mqttClientKey(clientId), connectionId } }),
      ),
    ),
  );
}
