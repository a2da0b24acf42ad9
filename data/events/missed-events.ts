import type { Organisation, Resource } from '../../domain/values/id';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, table } from '../store/dynamodb';
import { readCarriedCommands } from './carried-commands';
import { readIndex, type Range } from './channel-index';
import { findLast, readBack, readEnd } from './log-end';
import {
  eventIn,
  sortedByNumber,
  isInTimeline,
  isEventKept,
  isPublishedOn,
  organisationLog,
  parseLogItem,
  type LoggedEvent,
  type LogItem,
} from './log-items';

/** How many of the last events of an organisation are read for a channel before the index of channels is. */
const TAIL = 200;
/** The same where few events are expected. */
const SHORT_TAIL = 10;

/**
 * The changes of a group's devices, and those of a job and its commands, have numbers in one order and may be published
 * in another, since each batch of the stream of devices is published on its own: a follower may know a cursor without
 * the change of another device that came shortly before it. How long before, in seconds, and in how many events of the
 * organisation it is searched for.
 */
const UNSETTLED_S = 10;
const MAX_UNSETTLED = 1000;

/** An event of the organisation's log. */
export async function findEvent(organisation: Organisation, number: number): Promise<LogItem | undefined> {
  const Key = { log: organisationLog(organisation), number };
  const { Item } = await dynamodb.send(new GetCommand({ TableName: table('events'), Key, ConsistentRead: true }));
  return Item && parseLogItem(Item);
}

/**
 * The events of a channel after a number, in order, up to the last one that is in the log: one query, or three reads when the log
 * has grown by more than 200 events since, and up to five more for the commands of a job or a group.
 * @param most maximum of events
 * @returns undefined when the log no longer reaches back that far, or there are more, or too much has happened to search
 */
export async function missedEvents(
  organisation: Organisation,
  channel: Resource,
  after: number,
  most: number,
  now: Date,
): Promise<LoggedEvent[] | undefined> {
  // From the number itself, which shows where the log ends.
  const { events, isCut } = await readEnd(organisation, Math.max(after, 1), TAIL);
  const [first] = events;
  if (!first) return after === (await findLast(organisation)) ? [] : undefined;
  const tail = events.filter(({ number }) => number > after);
  const begin = Math.max(first.number, after + 1);
  const isLong = isCut && begin > after + 1;
  const [older, next] = await Promise.all([
    isLong ? readOlder(organisation, channel, { from: after + 1, to: begin - 1, most: most + 1 }) : [],
    isLong ? findEvent(organisation, after + 1) : tail[0],
  ]);
  // The older an event, the sooner it expires, so the first one speaks for all.
  const hasFirst = next?.number === after + 1 && isEventKept(next, now);
  const isWhole = tail.every(({ number }, index) => number === begin + index);
  if (!older || (tail.length > 0 && !(hasFirst && isWhole))) return undefined;
  const missed = [...older, ...tail.filter((item) => isPublishedOn(channel, item))];
  return missed.length > most ? undefined : missed.map(eventIn);
}

/**
 * The events of a channel before the tail; that of a share carries no commands.
 * @returns undefined when too much has happened to search
 */
async function readOlder(
  organisation: Organisation,
  channel: Resource,
  range: Required<Omit<Range, 'isFromEnd'>>,
): Promise<LogItem[] | undefined> {
  const [indexed, commands] = await Promise.all([
    readIndex(channel, range),
    channel.kind === 'share' ? [] : readCarriedCommands(organisation, channel, range.from, range.to),
  ]);
  // Commands that an earlier version has logged are in the index of their group too.
  return commands && sortedByNumber([...indexed, ...commands]);
}

/**
 * The kept events of a channel up to a number that the log got at most ten seconds before it, and that a follower may
 * not know; two reads.
 */
export async function unsettledEvents(
  organisation: Organisation,
  channel: Resource,
  upTo: number,
  now: Date,
): Promise<LoggedEvent[]> {
  const last = await findEvent(organisation, upTo);
  if (!last) return [];
  const since = last.loggedAt - UNSETTLED_S;
  const range = { from: Math.max(upTo - MAX_UNSETTLED, 0) + 1, to: upTo, least: SHORT_TAIL, since };
  const { events } = await readBack(organisation, range);
  // Of a job the changes have one order among themselves: only its commands may have been published after them, or before.
  const hasCommand = eventIn(last).message.type === 'command.status';
  return events
    .filter((item) => item.loggedAt >= since && isEventKept(item, now))
    .filter((item) => isPublishedOn(channel, item))
    .map(eventIn)
    .filter(({ message }) => message.type !== 'job.status' || hasCommand);
}

/** Whether the timeline of a channel has an event after a number, by two queries. */
export async function hasEventAfter(
  organisation: Organisation,
  channel: Resource,
  after: number,
  now: Date,
): Promise<boolean> {
  const [indexed, { events }] = await Promise.all([
    // The newest one expires last.
    readIndex(channel, { from: after + 1, most: 1, isFromEnd: true }),
    readEnd(organisation, after + 1, SHORT_TAIL),
  ]);
  return [...indexed, ...events.filter((item) => isPublishedOn(channel, item))].some((item) => isInTimeline(item, now));
}
