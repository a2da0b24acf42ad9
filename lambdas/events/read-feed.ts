import { channelKinds, channels, carriedTypes } from '../../contract/channels/status-channels';
import { beforeOldest, readEvents, type EventPage } from '../../data/events/read-events';
import { cursorExpired, readCursor } from '../../domain/events/cursor';
import type { Organisation } from '../../domain/values/id';
import { setTimeout as pause } from 'node:timers/promises';
import { findLast } from '../../data/events/log-end';
import { takeWaitingSeat } from '../../data/events/take-waiting-seat';

/** The whole log, from its oldest event. */
const OLDEST = 'oldest';

/**
 * The number after which a feed begins: that of the cursor, without one the last event.
 * @throws Refusal `invalid_request` for a cursor that is none, or another organisation's
 */
export async function feedBeginning(organisation: Organisation, after: string | undefined, now: Date): Promise<number> {
  if (after === undefined) return findLast(organisation);
  return after === OLDEST ? beforeOldest(organisation, now) : readCursor(organisation, after);
}

/** A feed that a client reads. */
export interface Feed {
  readonly organisation: Organisation;
  /** Of its token: it gets the events of the channels that it may follow. */
  readonly scopes: readonly string[];
  /** Maximum of events in a page. */
  readonly limit: number;
}

/**
 * A page of a feed, without the events that the token does not allow.
 * @param after number of the event before it
 * @throws Refusal `cursor_expired`; `invalid_request` when the number was not issued yet
 */
export async function readFeed({ organisation, scopes, limit }: Feed, after: number, now: Date): Promise<EventPage> {
  const page = await readEvents(organisation, after, limit, now);
  if (!page) throw cursorExpired();
  const allowed = channelKinds.filter((kind) => scopes.includes(channels[kind].scope));
  const types: readonly string[] = allowed.flatMap(carriedTypes);
  return { ...page, events: page.events.filter(({ message }) => types.includes(message.type)) };
}

/** How often the log is looked at, in ms: half a read unit each time. */
const LOOK_EVERY_MS = 500;

/** A call that may wait. */
export interface WaitingCall extends Feed {
  readonly clientId: string;
  /** Seconds. */
  readonly wait: number;
}

/** Looks at the log until there is an event that the token allows, or the time is over. */
async function waitAfter(call: WaitingCall, empty: EventPage, end: number): Promise<EventPage> {
  let page = empty;
  while (page.events.length === 0 && Date.now() + LOOK_EVERY_MS < end) {
    await pause(LOOK_EVERY_MS);
    if ((await findLast(call.organisation, false)) > page.last) page = await readFeed(call, page.last, new Date());
  }
  return page;
}

/**
 * A page of a feed; if there is nothing yet, it is waited for.
 * @param after number of the event before it
 * @returns an empty page when the time is over, or at once when as many calls wait as may in all
 * @throws Refusal `too_many_requests` when too many calls of the client wait; those of {@link readFeed}
 */
export async function waitForEvents(call: WaitingCall, after: number, now: Date): Promise<EventPage> {
  const page = await readFeed(call, after, now);
  if (page.events.length > 0 || call.wait === 0) return page;
  const endsAt = now.getTime() + call.wait * 1000;
  const release = await takeWaitingSeat({ clientId: call.clientId, now: Date.now(), endsAt });
  if (!release) return page;
  try {
    return await waitAfter(call, page, endsAt);
  } finally {
    await release();
  }
}
