/**
 * The recent end of an event log, as an instance of a function remembers it: which events the last entries are, so that a stream
 * record that comes twice makes no second entry.
 */
import { INDEXED_S } from './log-end';
import { storedIdentity, type LogItem } from './log-items';

/** How many entries are kept, and all that the index may not have yet. */
export const RECENT = 100;
/** DynamoDB's time of a stream record and the clock of a function may differ so much, in seconds. */
export const CLOCK_SKEW_S = 2;

interface RecentEvent {
  readonly number: number;
  readonly identity: string;
  /** Unix seconds. */
  readonly loggedAt: number;
}

export interface RecentEnd {
  /** Number of the last event. */
  readonly last: number;
  /** In order, without holes. */
  readonly entries: readonly RecentEvent[];
  /** Whether the log has more than these. */
  readonly isCut: boolean;
}

export const recentEventIn = (item: LogItem): RecentEvent => ({
  number: item.number,
  identity: storedIdentity(item),
  loggedAt: item.loggedAt,
});

/** The numbers of the recent events. */
export const numbersIn = ({ entries }: RecentEnd): ReadonlyMap<string, number> =>
  new Map(entries.map(({ identity, number }) => [identity, number]));

/**
 * Whether every entry that can be about a change of this time is in the recent end: the oldest in it is older than the change.
 * @param createdAt of the stream record, Unix seconds
 */
export const reachesBackTo = ({ entries, isCut }: RecentEnd, createdAt: number): boolean =>
  !isCut || createdAt > (entries[0]?.loggedAt ?? Infinity) + CLOCK_SKEW_S;

/**
 * The recent end with entries that have become known, in any order; what is before a hole is forgotten.
 * @param now Unix seconds
 */
export function withEvents(end: RecentEnd, found: readonly RecentEvent[], now: number): RecentEnd {
  const byNumber = new Map([...end.entries, ...found].map((entry) => [entry.number, entry]));
  const all = [...byNumber.values()].sort((one, other) => one.number - other.number);
  const hole = all.findLastIndex(({ number }, index) => index > 0 && all[index - 1]?.number !== number - 1);
  const run = all.slice(Math.max(hole, 0));
  const entries = run.filter(({ loggedAt }, index) => index >= run.length - RECENT || loggedAt >= now - INDEXED_S);
  return { last: all.at(-1)?.number ?? end.last, entries, isCut: end.isCut || entries.length < all.length };
}
