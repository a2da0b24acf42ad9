import { channelKinds, channels, carriedTypes } from '../../contract/channels/status-channels';
import { beforeOldest, readEvents, type EventPage } from '../../data/events/read-events';
import { findLast } from '../../data/events/log-end';
import { cursorExpired, readCursor } from '../../domain/events/cursor';
import type { Organisation } from '../../domain/values/id';

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
