import { setTimeout as pause } from 'node:timers/promises';
import type { Organisation, Resource } from '../../domain/id';
import { GetCommand, QueryCommand, type QueryCommandOutput } from '../store/document-client';
import { dynamodb, table } from '../store/dynamodb';
import {
  channelLog,
  eventIn,
  findHead,
  isKept,
  organisationLog,
  readItem,
  type LoggedEvent,
  type LogItem,
} from './log-items';

/**
 * A query may see a part of a transaction (developer guide, "Isolation levels for DynamoDB transactions"), so the last events
 * are read from the organisation's log, where a missing number shows. Older ones have long been committed.
 */
const TAIL = 200;
/** Attempts to read the tail without a hole, and the delay between them in ms. */
const MAX_ATTEMPTS = 4;
const RETRY_DELAY_MS = 25;

/**
 * The changes of a group's devices have numbers in one order and may be published in another, since each batch of the stream of
 * devices is published on its own: a follower may know a cursor without the change of another device that came shortly before
 * it. How long before, in seconds, and in how many events of the organisation it is searched for.
 */
const UNSETTLED_S = 10;
const MAX_UNSETTLED = 1000;

/** The events of a log in a range of numbers, both included. @param most how many are read at most */
export async function readRange(log: string, from: number, to: number, most: number): Promise<LogItem[]> {
  const found: LogItem[] = [];
  let key: QueryCommandOutput['LastEvaluatedKey'];
  do {
    const page: QueryCommandOutput = await dynamodb.send(
      new QueryCommand({
        TableName: table('events'),
        KeyConditionExpression: '#log = :log AND #number BETWEEN :from AND :to',
        ExpressionAttributeNames: { '#log': 'log', '#number': 'number' },
        ExpressionAttributeValues: { ':log': log, ':from': from, ':to': to },
        ConsistentRead: true,
        Limit: most - found.length,
        ...(key && { ExclusiveStartKey: key }),
      }),
    );
    found.push(...(page.Items ?? []).map(readItem));
    key = page.LastEvaluatedKey;
  } while (key && found.length < most);
  return found;
}

/** All events of a range of the organisation's log; undefined when some no longer exist. */
async function readAll(
  organisation: Organisation,
  from: number,
  to: number,
  now: Date,
): Promise<LogItem[] | undefined> {
  const count = to - from + 1;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const items = await readRange(organisationLog(organisation), from, to, count);
    // The older an event, the sooner it expires, so the first one speaks for all.
    if (items[0]?.number === from && !isKept(items[0], now)) return undefined;
    if (items.length === count) return items;
    await pause(RETRY_DELAY_MS);
  }
  return undefined;
}

/** An event of the organisation's log. */
export async function findEvent(organisation: Organisation, number: number): Promise<LogItem | undefined> {
  const Key = { log: organisationLog(organisation), number };
  const { Item } = await dynamodb.send(new GetCommand({ TableName: table('events'), Key, ConsistentRead: true }));
  return Item && readItem(Item);
}

/**
 * The events of a channel after a number, in order, up to the last one that is in the log: two reads, or four when the log has
 * grown by more than 200 events since.
 * @param most maximum of events
 * @returns undefined when the log no longer reaches back that far, or there are more
 */
export async function missedEvents(
  organisation: Organisation,
  channel: Resource,
  after: number,
  most: number,
  now: Date,
): Promise<LoggedEvent[] | undefined> {
  const { last } = await findHead(organisation);
  if (after === last) return [];
  if (after > last) return undefined;
  const tail = Math.max(after, last - TAIL) + 1;
  const isLong = tail > after + 1;
  const [recent, older, first] = await Promise.all([
    readAll(organisation, tail, last, now),
    isLong ? readRange(channelLog(channel), after + 1, tail - 1, most + 1) : [],
    isLong ? findEvent(organisation, after + 1) : undefined,
  ]);
  if (!recent || (isLong && !(first && isKept(first, now)))) return undefined;
  const missed = [...older, ...recent.filter((each) => each.channel === channelLog(channel))];
  return missed.length > most ? undefined : missed.map(eventIn);
}

/** The events of a channel up to a number that the log got at most ten seconds before it; two reads. */
export async function unsettledEvents(
  organisation: Organisation,
  channel: Resource,
  upTo: number,
): Promise<LoggedEvent[]> {
  const [last, earlier] = await Promise.all([
    findEvent(organisation, upTo),
    readRange(channelLog(channel), Math.max(upTo - MAX_UNSETTLED, 0) + 1, upTo, MAX_UNSETTLED),
  ]);
  // What the log got at the same time expires at the same time.
  return last ? earlier.filter(({ ttl }) => ttl >= last.ttl - UNSETTLED_S).map(eventIn) : [];
}

/** Whether a channel has an event after a number, by one read. */
export async function hasEventAfter(channel: Resource, after: number): Promise<boolean> {
  return (await readRange(channelLog(channel), after + 1, Number.MAX_SAFE_INTEGER, 1)).length > 0;
}
