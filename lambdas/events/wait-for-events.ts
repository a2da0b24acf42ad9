import { setTimeout as pause } from 'node:timers/promises';
import { findLast } from '../../data/events/log-end';
import type { EventPage } from '../../data/events/read-events';
import { takeWaitingSeat } from '../../data/events/take-waiting-seat';
import { readFeed, type Feed } from './read-feed';

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
