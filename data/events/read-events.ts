import { setTimeout as pause } from 'node:timers/promises';
import { notYetIssued } from '../../domain/events/cursor';
import type { Organisation, Resource } from '../../domain/values/id';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, table } from '../store/dynamodb';
import { readIndex } from './channel-index';
import { findLast, readEnd } from './log-end';
import {
  channelLog,
  eventIn,
  HEAD,
  isEventKept,
  isInTimeline,
  organisationLog,
  parseLogItem,
  sortedByNumber,
  type LoggedEvent,
} from './log-items';
import { findEvent } from './missed-events';

/** A part of an organisation's log. */
export interface EventPage {
  readonly events: readonly LoggedEvent[];
  /** Number of the last event that was read, after which to go on. */
  readonly last: number;
}

/**
 * Attempts to read a page whose beginning is missing, and the delay between them in ms: a query may see a part of a
 * transaction.
 */
const MAX_ATTEMPTS = 4;
const RETRY_DELAY_MS = 50;

/** One query: the event of a number, which shows where the log ends, and those after it. */
async function readPage(organisation: Organisation, after: number, limit: number) {
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: table('events'),
      KeyConditionExpression: '#log = :log AND #number BETWEEN :after AND :last',
      ExpressionAttributeNames: { '#log': 'log', '#number': 'number' },
      ExpressionAttributeValues: { ':log': organisationLog(organisation), ':after': after, ':last': HEAD - 1 },
      ConsistentRead: true,
      Limit: limit + 1,
    }),
  );
  const items = Items.map(parseLogItem);
  return { isKnown: items[0]?.number === after, next: items.filter(({ number }) => number > after).slice(0, limit) };
}

/**
 * Whether the log ends with a number that it has no event of: nothing has happened yet, or all events have expired.
 * @throws Refusal `invalid_request` when the number was not issued yet
 */
async function endsWith(organisation: Organisation, after: number): Promise<boolean> {
  const last = await findLast(organisation);
  if (after > last) throw notYetIssued();
  return after === last;
}

/**
 * The events after a number, oldest first, without holes: normally one query.
 * @returns undefined when the log no longer has the first of them
 * @throws Refusal `invalid_request` when the number was not issued yet
 */
export async function readEvents(
  organisation: Organisation,
  after: number,
  limit: number,
  now: Date,
): Promise<EventPage | undefined> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const { isKnown, next } = await readPage(organisation, after, limit);
    const [first] = next;
    if (first?.number === after + 1) {
      const kept = isEventKept(first, now)
        ? next.filter(({ number }, index) => number === after + 1 + index)
        : undefined;
      return kept && { events: kept.map(eventIn), last: after + kept.length };
    }
    if (!first && (isKnown || (await endsWith(organisation, after)))) return { events: [], last: after };
    if (attempt < MAX_ATTEMPTS) await pause(RETRY_DELAY_MS);
  }
  return undefined;
}

/**
 * The number before the oldest event that is kept, by some twenty reads: events expire in the order of their numbers, and
 * DynamoDB deletes them up to two days later.
 */
export async function beforeOldest(organisation: Organisation, now: Date): Promise<number> {
  let [before, from] = [0, await findLast(organisation)];
  while (before < from) {
    const middle = Math.floor((before + from) / 2);
    const found = await findEvent(organisation, middle + 1);
    if (found && isEventKept(found, now)) from = middle;
    else before = middle + 1;
  }
  return before;
}

/** Most changes of a job's status in one reply; a job has seven at most. */
const MAX_OF_CHANNEL = 100;
/** How many of the last events of the organisation are read for it, at least. */
const TAIL = 10;

/**
 * The events of a channel that are kept, oldest first, also those that were logged a moment ago, which the index may not have
 * yet; two queries.
 */
export async function readChannelEvents(
  organisation: Organisation,
  channel: Resource,
  now: Date,
): Promise<LoggedEvent[]> {
  const [indexed, { events }] = await Promise.all([
    readIndex(channel, { most: MAX_OF_CHANNEL }),
    readEnd(organisation, 1, TAIL),
  ]);
  const ofChannel = events.filter((item) => item.channel === channelLog(channel));
  return sortedByNumber([...indexed, ...ofChannel])
    .filter((item) => isInTimeline(item, now))
    .map(eventIn);
}
