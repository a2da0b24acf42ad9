import * as z from 'zod/mini';
import { DeleteCommand, PutCommand, QueryCommand, type QueryCommandOutput } from '../store/document-client';
import { succeeded } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';

/**
 * An MQTT subscription, or the memory of one that was given up: IoT's events may repeat and come out of
 * order, so the later moment wins. Stored beside the WebSocket connections, below a key of the client's.
 */
const subscription = z.object({ connectionId: z.string(), at: z.number(), stands: z.boolean(), ttl: z.number() });

/** A session lasts no longer than a token, and its subscriptions no longer than it, in seconds. */
const LONGEST_S = 3600;

const keyOf = (clientId: string) => `mqtt#${clientId}`;
const nameOf = (mqttClientId: string, topic: string) => `${mqttClientId} ${topic}`;
type Note = z.output<typeof subscription>;
const mqttClientOf = ({ connectionId }: Note) => connectionId.slice(0, connectionId.indexOf(' '));

/** In place of a topic: when an MQTT client's session began or ended last. */
const SESSION = '';
const isSession = (note: Note) => note.connectionId === nameOf(mqttClientOf(note), SESSION);

/**
 * Notes that an MQTT client subscribed to a topic or gave it up.
 * @param at moment of the event, Unix milliseconds; an older one than is known changes nothing
 */
export async function noteSubscription(
  clientId: string,
  mqttClientId: string,
  topic: string,
  stands: boolean,
  at: number,
): Promise<void> {
  const note = { connectionId: nameOf(mqttClientId, topic), at, stands, ttl: Math.ceil(at / 1000) + LONGEST_S };
  await succeeded(
    dynamodb.send(
      new PutCommand({
        TableName: table('CONNECTIONS'),
        Item: { channel: keyOf(clientId), ...note },
        ConditionExpression: 'attribute_not_exists(connectionId) OR #at < :at',
        ExpressionAttributeNames: { '#at': 'at' },
        ExpressionAttributeValues: { ':at': at },
      }),
    ),
  );
}

async function notesOf(clientId: string, prefix = '') {
  const found: Note[] = [];
  let from: QueryCommandOutput['LastEvaluatedKey'];
  do {
    const page: QueryCommandOutput = await dynamodb.send(
      new QueryCommand({
        TableName: table('CONNECTIONS'),
        KeyConditionExpression: `channel = :key${prefix && ' AND begins_with(connectionId, :prefix)'}`,
        ExpressionAttributeValues: { ':key': keyOf(clientId), ...(prefix && { ':prefix': prefix }) },
        ConsistentRead: true,
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    found.push(...(page.Items ?? []).map((item) => subscription.parse(item)));
    from = page.LastEvaluatedKey;
  } while (from);
  return found;
}

/**
 * The MQTT clients of a client that hold subscriptions beyond its `max` first ones, over all its connections.
 * @param now Unix milliseconds
 */
export async function clientsBeyond(clientId: string, max: number, now: number): Promise<string[]> {
  const notes = await notesOf(clientId);
  const sessions = new Map(notes.filter(isSession).map((note) => [mqttClientOf(note), note.at]));
  const standing = notes
    .filter((note) => note.stands && note.ttl * 1000 > now && note.at >= (sessions.get(mqttClientOf(note)) ?? 0))
    .sort((one, other) => one.at - other.at || (one.connectionId < other.connectionId ? -1 : 1));
  return [...new Set(standing.slice(max).map(mqttClientOf))];
}

/**
 * Forgets what an MQTT client had subscribed to before a session began or ended, also what is yet to be heard of.
 * @param at Unix milliseconds
 */
export async function forgetSubscriptions(clientId: string, mqttClientId: string, at: number): Promise<void> {
  await noteSubscription(clientId, mqttClientId, SESSION, false, at);
  const notes = await notesOf(clientId, nameOf(mqttClientId, ''));
  const old = notes.filter((note) => !isSession(note) && note.at < at);
  await Promise.all(
    old.map(({ connectionId }) =>
      dynamodb.send(
        new DeleteCommand({ TableName: table('CONNECTIONS'), Key: { channel: keyOf(clientId), connectionId } }),
      ),
    ),
  );
}
