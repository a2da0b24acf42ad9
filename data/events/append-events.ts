import { setTimeout as pause } from 'node:timers/promises';
import type { Organisation } from '../../domain/values/id';
import { readIndex } from './channel-index';
import { readBack, readEnd } from './log-end';
import { channelLog, storedIdentity, eventIdentity, organisationLog, type LogItem } from './log-items';
import {
  CLOCK_SKEW_S,
  numbersIn,
  reachesBackTo,
  RECENT,
  recentEventIn,
  withEvents,
  type RecentEnd,
} from './recent-events';
import { MAX_EVENTS, writeEvents, type NewEvent } from './write-events';

/**
 * Attempts while other functions append to the same log, and the base of the delay between them in ms. Of ten lanes of a stream
 * that append as fast as they can, one succeeds at a time: of 40 attempts in a row all fail for one batch in 70, of 100
 * for one in 40,000, which Lambda then delivers again.
 */
const MAX_ATTEMPTS = 100;
const RETRY_DELAY_MS = 10;
/** How many entries of a channel are searched for an event that the recent end no longer holds. */
const SEARCHED = 100;
/** How many events of the organisation, at least, are searched for one that is in no timeline: some 3 MB. */
const MAX_SEARCHED = 5000;

/**
 * The recent end as this instance knows it, by organisation. If another one has appended since, the next number is taken. An
 * instance does not live as long as an event is stored, a day at least: Lambda ends it after hours (developer guide, "Lambda
 * execution environment lifecycle"). So no number that it takes for free has been deleted.
 */
const ends = new Map<Organisation, RecentEnd>();
/** A hundred entries each, of some 150 bytes. */
const MAX_ENDS = 1000;

function remember(organisation: Organisation, end: RecentEnd): RecentEnd {
  if (ends.size >= MAX_ENDS) ends.clear();
  ends.set(organisation, end);
  return end;
}

async function endOf(organisation: Organisation): Promise<RecentEnd> {
  const known = ends.get(organisation);
  if (known) return known;
  const { last, events, isCut } = await readEnd(organisation, 1, RECENT);
  return remember(organisation, withEvents({ last, entries: [], isCut }, events.map(recentEventIn), nowS()));
}

const nowS = () => Math.floor(Date.now() / 1000);

/** Finds the numbers of events among which an event is if it was logged before the recent end, by what they are about. */
type Search = (event: NewEvent) => Promise<ReadonlyMap<string, number>>;

/**
 * Searches each channel by the index, once for a batch: it has what is older than the recent end, and the recent end everything
 * younger than ten seconds. For events that are in no timeline it searches the organisation's list, once too, back to
 * the first stream record of the batch.
 */
function searchOnce(organisation: Organisation, events: readonly NewEvent[]): Search {
  const searched = new Map<string, Promise<ReadonlyMap<string, number>>>();
  const since = Math.min(...events.map(({ createdAt }) => createdAt)) - CLOCK_SKEW_S;
  return ({ channel }) => {
    const key = channel ? channelLog(channel) : organisationLog(organisation);
    const found =
      searched.get(key) ??
      (channel ? readIndex(channel, { most: SEARCHED, isFromEnd: true }) : readSince(organisation, since)).then(
        (items) => new Map(items.map((item) => [storedIdentity(item), item.number])),
      );
    searched.set(key, found);
    return found;
  };
}

/**
 * The last events of an organisation, since a time in Unix seconds. A repeat of one that is not among them is appended
 * again: that takes a stream which is far behind, and clients tell it by its `commandId` and `sequence`.
 */
async function readSince(organisation: Organisation, since: number): Promise<readonly LogItem[]> {
  const range = { from: 1, least: RECENT, since, enough: MAX_SEARCHED };
  return (await readBack(organisation, range, false)).events;
}

/**
 * The numbers of events that the log has already, since their stream records come again. Those that are older than the recent
 * end of the log are searched for.
 */
async function knownNumbers(
  end: RecentEnd,
  events: readonly NewEvent[],
  search: Search,
): Promise<Map<NewEvent, number>> {
  const recent = numbersIn(end);
  const found = new Map<NewEvent, number>();
  for (const event of events) {
    const identity = eventIdentity(event.message);
    const isOld = !recent.has(identity) && !reachesBackTo(end, event.createdAt);
    const number = isOld ? (await search(event)).get(identity) : recent.get(identity);
    if (number !== undefined) found.set(event, number);
  }
  return found;
}

/**
 * Tries to append events after the recent end as it is known.
 * @param isBehind whether to look meanwhile what others have appended, so that a loser is as fast as the winner the next time
 * @returns undefined when they are appended, otherwise whether it has become known what others have appended
 * @throws any error but a lost race
 */
async function tryToAppend(
  organisation: Organisation,
  end: RecentEnd,
  events: readonly NewEvent[],
  isBehind: boolean,
): Promise<{ readonly hasLearnt: boolean; readonly error: unknown } | undefined> {
  const now = nowS();
  const [lost, arrived] = await Promise.all([
    writeEvents(organisation, end.last, events, now),
    isBehind ? readEnd(organisation, end.last + 1, RECENT) : undefined,
  ]);
  const own = events.map(({ message }, index) => ({
    number: end.last + 1 + index,
    identity: eventIdentity(message),
    loggedAt: now,
  }));
  const others = [...(arrived?.events ?? []), ...(lost?.winners ?? [])].map(recentEventIn);
  remember(organisation, withEvents(end, lost ? others : own, now));
  return lost && { hasLearnt: others.length > 0, error: lost.error };
}

/** Appends up to {@link MAX_EVENTS} events that the known recent end does not hold. @returns the number of each */
async function appendBatch(
  organisation: Organisation,
  events: readonly NewEvent[],
  search: Search,
): Promise<ReadonlyMap<NewEvent, number>> {
  for (let attempt = 1; ; attempt++) {
    const end = await endOf(organisation);
    // The first attempt follows the search. Later the log may hold what this instance could not know.
    const known = attempt === 1 ? new Map<NewEvent, number>() : await knownNumbers(end, events, search);
    const added = events.filter((event) => !known.has(event));
    if (added.length === 0) return known;
    const lost = await tryToAppend(organisation, end, added, attempt > 1);
    if (!lost) {
      added.forEach((event, index) => known.set(event, end.last + 1 + index));
      return known;
    }
    if (attempt === MAX_ATTEMPTS) throw lost.error;
    if (!lost.hasLearnt) await pause(RETRY_DELAY_MS * attempt * (0.5 + Math.random()));
  }
}

/**
 * Appends events to the log of an organisation, numbered 1, 2, 3 … without holes: an event is written only under a free number
 * after one that is given, so that no number can be seen before a smaller one. An event that the log's recent end, or the recent
 * end of its channel, holds keeps its number; one about a command, which is in no timeline, also if it is among the
 * organisation's last 5,000.
 * @returns the number of each event
 * @throws Error when DynamoDB can't be written to; the events before a failed batch of 99 are in the log
 */
export async function appendEvents(organisation: Organisation, events: readonly NewEvent[]): Promise<number[]> {
  const search = searchOnce(organisation, events);
  try {
    const numbers = await knownNumbers(await endOf(organisation), events, search);
    const added = events.filter((event) => !numbers.has(event));
    for (let from = 0; from < added.length; from += MAX_EVENTS) {
      const appended = await appendBatch(organisation, added.slice(from, from + MAX_EVENTS), search);
      for (const [event, number] of appended) numbers.set(event, number);
    }
    return events.map((event) => numbers.get(event) ?? 0);
  } catch (error) {
    // It may have been written nevertheless.
    ends.delete(organisation);
    throw error;
  }
}
