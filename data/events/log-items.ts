/**
 * The items of the event log. Each event is in two lists, both in the order of its number: that of its organisation and that of
 * its channel. The head of an organisation's list has the last number.
 */
import * as z from 'zod/mini';
import type { Organisation, Resource } from '../../domain/id';
import type { StatusMessage } from '../../domain/status-message';
import { channelKey } from '../connections/connections';
import { GetCommand } from '../store/document-client';
import { dynamodb, table } from '../store/dynamodb';

/** Sort key of a head: a page that reaches the end of the log has the head as its last item. */
export const HEAD = Number.MAX_SAFE_INTEGER;

const head = z.object({
  /** Number of the last event. */
  last: z._default(z.int(), 0),
  /** See `recent-events.ts`. */
  recent: z._default(z.instanceof(Uint8Array), new Uint8Array()),
});
export type Head = Readonly<z.output<typeof head>>;

/** Parses a head; without an item the log is empty. */
export const readHead = (found: Record<string, unknown> | undefined): Head => head.parse(found ?? {});

/** An event of the log. */
export interface LoggedEvent {
  readonly number: number;
  readonly message: StatusMessage;
}

const item = z.object({ number: z.int(), channel: z.string(), message: z.string(), ttl: z.int() });
export type LogItem = z.output<typeof item>;

export const readItem = (found: unknown): LogItem => item.parse(found);

/** Whether an event is still part of the log; DynamoDB deletes expired items with a delay. */
export const isKept = ({ ttl }: LogItem, now: Date): boolean => ttl * 1000 > now.getTime();

/** The event in an item; what this service stored as a message is one. */
export const eventIn = ({ number, message }: LogItem): LoggedEvent => ({
  number,
  message: JSON.parse(message) as StatusMessage,
});

/** Keys of the two lists. */
export const organisationLog = (organisation: Organisation) => `organisation#${organisation}`;
export const channelLog = (channel: Resource) => channelKey(channel);

/** The head of an organisation's log. @param ConsistentRead false where a second matters less than half the price */
export async function findHead(organisation: Organisation, ConsistentRead = true): Promise<Head> {
  const Key = { log: organisationLog(organisation), number: HEAD };
  const { Item } = await dynamodb.send(new GetCommand({ TableName: table('events'), Key, ConsistentRead }));
  return readHead(Item);
}
