import { setTimeout as pause } from 'node:timers/promises';
import { notYetIssued } from '../../domain/cursor';
import type { Organisation, Resource } from '../../domain/id';
import { QueryCommand } from '../store/document-client';
import { dynamodb, table } from '../store/dynamodb';
import {
  channelLog,
  eventIn,
  findHead,
  HEAD,
  isKept,
  organisationLog,
  readHead,
  readItem,
  type LoggedEvent,
} from './log-items';
import { findEvent, readRange } from './missed-events';

/** A part of an organisation's log. */
export interface EventPage {
  readonly events: readonly LoggedEvent[];
  /** Number of the last event that was read, after which to go on. */
  readonly last: number;
}

/** Attempts to read a page whose beginning is missing, and the delay between them in ms: a query may see a part of a transaction. */
const MAX_ATTEMPTS = 4;
const RETRY_DELAY_MS = 50;

/** One query: the items after a number, and the last number when the page reaches the end of the log. */
async function readPage(organisation: Organisation, after: number, limit: number) {
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: table('events'),
      KeyConditionExpression: '#log = :log AND #number > :after',
      ExpressionAttributeNames: { '#log': 'log', '#number': 'number' },
      ExpressionAttributeValues: { ':log': organisationLog(organisation), ':after': after },
      ConsistentRead: true,
      Limit: limit,
    }),
  );
  const isHead = (item: Record<string, unknown>) => item['number'] === HEAD;
  const head = Items.find(isHead);
  return { items: Items.filter((item) => !isHead(item)).map(readItem), last: head && readHead(head).last };
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
    const { items, last } = await readPage(organisation, after, limit);
    const [first] = items;
    if (first?.number === after + 1) {
      const kept = isKept(first, now) ? items.filter(({ number }, index) => number === after + 1 + index) : undefined;
      return kept && { events: kept.map(eventIn), last: after + kept.length };
    }
    if (!first && after === (last ?? 0)) return { events: [], last: after };
    if (!first && after > (last ?? 0)) throw notYetIssued();
    if (attempt < MAX_ATTEMPTS) await pause(RETRY_DELAY_MS);
  }
  return undefined;
}

/**
 * The number before the oldest event that is kept, by some twenty reads: events expire in the order of their numbers, and
 * DynamoDB deletes them up to two days later.
 */
export async function beforeOldest(organisation: Organisation, now: Date): Promise<number> {
  let [before, from] = [0, (await findHead(organisation)).last];
  while (before < from) {
    const middle = Math.floor((before + from) / 2);
    const found = await findEvent(organisation, middle + 1);
    if (found && isKept(found, now)) from = middle;
    else before = middle + 1;
  }
  return before;
}

/** Most changes of a job's status in one reply; a job has seven at most. */
const MAX_OF_CHANNEL = 100;

/** The events of a channel that are kept, oldest first; one query. */
export async function readChannelEvents(channel: Resource, now: Date): Promise<LoggedEvent[]> {
  const items = await readRange(channelLog(channel), 1, HEAD, MAX_OF_CHANNEL);
  return items.filter((item) => isKept(item, now)).map(eventIn);
}
