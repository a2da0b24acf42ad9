import { toChannel, MAX_REPLAYED, carriedTypes, type Channel } from '../../contract/channels/status-channels';
import type { GapMessage, ResumedMessage } from '../../contract/channels/socket-messages';
import { followedResource, type Connection } from '../../data/channels/connections';
import { closeSocket, HANDSHAKE_RETRY_DELAYS_MS, postToSocket } from '../../data/channels/sockets';
import type { LoggedEvent } from '../../data/events/log-items';
import { lastCursor } from '../../data/events/log-end';
import { missedEvents, unsettledEvents } from '../../data/events/missed-events';
import { formatCursor } from '../../domain/events/cursor';
import { organisationOf, type Organisation } from '../../domain/values/id';
import { messageSubject } from '../../domain/channels/sequence';
import { endsChannel } from '../../domain/channels/status-event';
import { currentSnapshot } from './channel-state';
import { catchUp, sendFinalMessage } from './catch-up';
import { ageAt } from '../../domain/telemetry/sample';

/** How a follower begins. */
export interface Beginning {
  /** Final message of the channel, in case the resource has been deleted. */
  readonly end?: string | undefined;
  /** Number of the last event that the follower knows, when it resumes. */
  readonly after?: number | undefined;
}

/** Sends a follower of a status channel the current state, or when it resumes what it missed, and then every change. */
export async function sendChannelSnapshot(follower: Connection, { end, after }: Beginning = {}): Promise<void> {
  const { channel, organisation } = followedBy(follower);
  const post = postTo(follower);
  const now = new Date();
  if (after !== undefined) {
    const missed = await missedEvents(organisation, channel, after, MAX_REPLAYED, now);
    const unsettled =
      missed && carriedTypes(channel.kind).length > 1 ? await unsettledEvents(organisation, channel, after, now) : [];
    if (missed) return replay(follower, organisation, after, [...unsettled, ...missed]);
    if (!(await post({ type: 'gap' } satisfies GapMessage))) return;
  }
  // Before the state: a change between the two is then delivered twice when the follower resumes, not lost.
  const cursor = await lastCursor(organisation);
  const state = await currentSnapshot(channel, now.toISOString());
  if (!state) return sendFinalMessage(follower, HANDSHAKE_RETRY_DELAYS_MS, end);
  for (const [index, message] of state.entries()) {
    // Whoever has the cursor has the whole state: a client that is cut off before does not resume, but gets it again.
    const isLast = index === state.length - 1;
    if (!(await post(withAgeNow({ ...message, ...(isLast && { cursor }), snapshot: true })))) return;
  }
  await catchUp(follower, Object.fromEntries(state.map((message) => [messageSubject(message), message.sequence])));
}

/** The channel and the organisation that a connection follows. */
function followedBy(follower: Connection): { readonly channel: Channel; readonly organisation: Organisation } {
  const resource = followedResource(follower);
  const channel = resource && toChannel(resource);
  const organisation = channel && organisationOf(channel.kind, channel.id);
  if (!channel || organisation === undefined) throw new Error('the connection follows no channel');
  return { channel, organisation };
}

const postTo = (follower: Connection) => (message: object) =>
  postToSocket(follower, JSON.stringify(message), HANDSHAKE_RETRY_DELAYS_MS);

/**
 * Sends a follower what it missed, then that it has caught up, then every change.
 * @param after number of the last event that it knows
 * @param missed the events of its channel since then, in order, and earlier ones that it may not have been sent
 */
async function replay(
  follower: Connection,
  organisation: Organisation,
  after: number,
  missed: readonly LoggedEvent[],
): Promise<void> {
  const post = postTo(follower);
  const sent: Record<string, number> = {};
  for (const { number, message } of missed) {
    if (!(await post({ ...message, cursor: formatCursor(organisation, number), replayed: true }))) return;
    if (endsChannel(message)) return closeSocket(follower, HANDSHAKE_RETRY_DELAYS_MS);
    sent[messageSubject(message)] = message.sequence;
  }
  const cursor = formatCursor(organisation, Math.max(after, missed.at(-1)?.number ?? 0));
  if (await post({ type: 'resumed', cursor } satisfies ResumedMessage)) await catchUp(follower, sent);
}

/** A message with the age that it has now, if it has one: sending those before it took a while. */
const withAgeNow = <Message extends object>(message: Message): Message =>
  'age' in message && 'timestamp' in message
    ? { ...message, age: ageAt({ timestamp: String(message.timestamp) }, new Date()) }
    : message;
