import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { setTimeout as pause } from 'node:timers/promises';
import type { Organisation, Resource } from '../../domain/id';
import type { StatusMessage } from '../../domain/status-message';
import { QueryCommand, TransactWriteCommand } from '../store/document-client';
import { dynamodb, table } from '../store/dynamodb';
import { setting } from '../store/environment';
import { channelLog, eventIn, findHead, HEAD, organisationLog, readHead, readItem, type Head } from './log-items';
import { findRecent, reachesBackTo, withEvents } from './recent-events';

/** A change to append, in the order in which it became known. */
export interface NewEvent {
  /** The resource on whose channel it is published. */
  readonly channel: Resource;
  readonly message: StatusMessage;
  /** Time of the stream record, Unix seconds. */
  readonly createdAt: number;
}

/** Items in a transaction (DynamoDB API reference, TransactWriteItems): two for each event, and the head. */
const MAX_EVENTS = 49;
/**
 * Attempts while other functions append to the same log, and the base of the delay between them in ms. Of ten lanes of a stream
 * that append as fast as they can, one succeeds at a time: of 40 attempts in a row all fail for one batch in 70, of 100 for one in
 * 40,000, which Lambda then delivers again.
 */
const MAX_ATTEMPTS = 100;
const RETRY_DELAY_MS = 10;
/** How many entries of a channel are searched for an event that the recent end no longer holds. */
const SEARCHED = 100;

/**
 * The head as this instance knows it, by organisation: if another one has appended since, the transaction fails and returns the
 * present head.
 */
const heads = new Map<Organisation, Head>();
const MAX_HEADS = 10_000;

function remember(organisation: Organisation, head: Head): Head {
  if (heads.size >= MAX_HEADS) heads.clear();
  heads.set(organisation, head);
  return head;
}

/** What is the same for an event each time its stream record comes. */
const identityOf = (channel: Resource, { sequence, ...message }: StatusMessage): string =>
  [channelLog(channel), 'deviceId' in message ? message.deviceId : '', sequence].join(' ');

/** The recent entries of a channel: their numbers, by what they are about. */
async function recentOfChannel(channel: Resource): Promise<ReadonlyMap<string, number>> {
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: table('events'),
      KeyConditionExpression: '#log = :log',
      ExpressionAttributeNames: { '#log': 'log' },
      ExpressionAttributeValues: { ':log': channelLog(channel) },
      ScanIndexForward: false,
      Limit: SEARCHED,
      ConsistentRead: true,
    }),
  );
  return new Map(
    Items.map(readItem)
      .map(eventIn)
      .map(({ number, message }) => [identityOf(channel, message), number]),
  );
}

const findIn = ({ last, recent }: Head, { channel, message }: NewEvent): number | undefined =>
  findRecent(recent, last, identityOf(channel, message));

/**
 * The numbers of events that the log has already, since their stream records come again. Those that are older than the recent
 * end of the log are looked for in the logs of their channels, by one query each.
 */
async function knownNumbers(head: Head, events: readonly NewEvent[]): Promise<Map<NewEvent, number>> {
  const found = new Map<NewEvent, number>();
  const searched = new Map<string, Promise<ReadonlyMap<string, number>>>();
  for (const event of events) {
    const { channel, message, createdAt } = event;
    const recent = findIn(head, event);
    const isOld = recent === undefined && !reachesBackTo(head.recent, createdAt);
    const ofChannel = isOld ? (searched.get(channelLog(channel)) ?? recentOfChannel(channel)) : undefined;
    if (ofChannel) searched.set(channelLog(channel), ofChannel);
    const number = recent ?? (await ofChannel)?.get(identityOf(channel, message));
    if (number !== undefined) found.set(event, number);
  }
  return found;
}

const days = (name: string) => Number(setting(name)) * 24 * 60 * 60;

/** How long the log of a channel keeps an event, in seconds: the timeline of a job as long as the record of its flight. */
const keptInChannel = ({ kind }: Resource) =>
  kind === 'job' ? Math.max(days('EVENT_RETENTION_DAYS'), days('FLIGHT_RETENTION_DAYS')) : days('EVENT_RETENTION_DAYS');

/** Appends events by one transaction. @throws TransactionCanceledException when the head is not the present one */
async function append(organisation: Organisation, head: Head, events: readonly NewEvent[], now: number): Promise<Head> {
  const TableName = table('events');
  const identities = events.map(({ channel, message }) => identityOf(channel, message));
  const next = { last: head.last + events.length, recent: withEvents(head.recent, identities, now) };
  const Update = {
    TableName,
    Key: { log: organisationLog(organisation), number: HEAD },
    UpdateExpression: 'SET #last = :next, recent = :recent',
    ConditionExpression: head.last === 0 ? 'attribute_not_exists(#last)' : '#last = :last',
    ExpressionAttributeNames: { '#last': 'last' },
    ExpressionAttributeValues: {
      ':next': next.last,
      ':recent': next.recent,
      ...(head.last > 0 && { ':last': head.last }),
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
  const puts = events.flatMap(({ channel, message }, index) => {
    const item = {
      ...{ number: head.last + 1 + index, channel: channelLog(channel) },
      message: JSON.stringify(message),
    };
    const ofOrganisation = { log: organisationLog(organisation), ttl: now + days('EVENT_RETENTION_DAYS') };
    const ofChannel = { log: channelLog(channel), ttl: now + keptInChannel(channel) };
    return [ofOrganisation, ofChannel].map((list) => ({ Put: { TableName, Item: { ...list, ...item } } }));
  });
  await dynamodb.send(new TransactWriteCommand({ TransactItems: [{ Update }, ...puts] }));
  return next;
}

/**
 * After a transaction that failed because of another one: the head as the failed condition returned it, or undefined when it is
 * unknown because the two ran at the same time.
 * @throws the error itself when it is any other
 */
function presentHead(error: unknown): Head | undefined {
  if (!(error instanceof TransactionCanceledException)) throw error;
  const [ofHead, ...others] = error.CancellationReasons ?? [];
  const codes = [ofHead, ...others].map((reason) => reason?.Code ?? 'None');
  if (!codes.every((code) => ['None', 'TransactionConflict', 'ConditionalCheckFailed'].includes(code))) throw error;
  return ofHead?.Item && readHead(unmarshall(ofHead.Item));
}

const headOf = async (organisation: Organisation): Promise<Head> =>
  heads.get(organisation) ?? remember(organisation, await findHead(organisation));

/** Appends up to {@link MAX_EVENTS} events that the known head does not hold. @returns the number of each */
async function appendBatch(
  organisation: Organisation,
  events: readonly NewEvent[],
): Promise<ReadonlyMap<NewEvent, number>> {
  for (let attempt = 1; ; attempt++) {
    const head = await headOf(organisation);
    // The first attempt follows the search. Another head may hold what this instance could not know.
    const known = attempt === 1 ? new Map<NewEvent, number>() : await knownNumbers(head, events);
    const added = events.filter((event) => !known.has(event));
    if (added.length === 0) return known;
    try {
      remember(organisation, await append(organisation, head, added, Math.floor(Date.now() / 1000)));
      added.forEach((event, index) => known.set(event, head.last + 1 + index));
      return known;
    } catch (error) {
      heads.delete(organisation);
      const present = presentHead(error);
      if (attempt === MAX_ATTEMPTS) throw error;
      if (present) remember(organisation, present);
      else await pause(RETRY_DELAY_MS * attempt * (0.5 + Math.random()));
    }
  }
}

/**
 * Appends events to the log of an organisation, numbered 1, 2, 3 … without holes: head and events are written by one
 * transaction, so that no number can be seen before a smaller one. An event that the log's recent end, or the recent end of its
 * channel, holds keeps its number.
 * @returns the number of each event
 * @throws Error when DynamoDB can't be written to; the events before a failed batch of 49 are in the log
 */
export async function appendEvents(organisation: Organisation, events: readonly NewEvent[]): Promise<number[]> {
  const numbers = await knownNumbers(await headOf(organisation), events);
  const added = events.filter((event) => !numbers.has(event));
  for (let from = 0; from < added.length; from += MAX_EVENTS) {
    const appended = await appendBatch(organisation, added.slice(from, from + MAX_EVENTS));
    for (const [event, number] of appended) numbers.set(event, number);
  }
  return events.map((event) => numbers.get(event) ?? 0);
}
