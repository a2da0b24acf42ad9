import { publish } from '../../data/connections/mqtt-topics';
import { stopDelivery, type Follower } from '../../data/connections/followers';
import { closeSocket } from '../../data/connections/sockets';
import type { StatusEvent } from '../../domain/status-event';
import type { StatusMessage } from '../../domain/status-message';
import { withConcurrency } from '../concurrency';
import { logger } from '../logger';
import { sendToFollower, outgoing, type OutgoingMessage } from './followers';

/** A viewer is a stranger to the organisation, whose log is not its business. */
const withoutCursor = <Message extends StatusMessage>({ cursor: _cursor, ...message }: Message) => message;

/** The message for partners, and for viewers of a share. */
const outgoingTo = ({ message, role }: StatusEvent) => {
  const toPartner = outgoing(message, role === 'end');
  const toViewer = outgoing(withoutCursor(message), role === 'end');
  return ({ shareCode }: Follower) => (shareCode === undefined ? toPartner : toViewer);
};

/** A viewer may still be connecting to the topic, and would miss how many viewers there are with itself; in ms. */
const CONNECTING_MS = 30_000;

const readsTopic = ({ broadcast, bufferingSince, openedAt }: Follower) =>
  broadcast !== undefined && bufferingSince === undefined && openedAt * 1000 + CONNECTING_MS < Date.now();

/** One socket must not block the others; only a final message fails until every socket of the channel is closed. */
const publishToSocket =
  (outgoingFor: (follower: Follower) => OutgoingMessage) =>
  async (follower: Follower): Promise<void> => {
    const event = outgoingFor(follower);
    try {
      if (follower.expiresAt * 1000 <= Date.now()) {
        // A partner's socket expires with its token, a viewer's with the share, whose end closes it with a last message.
        if (follower.shareCode === undefined) await closeSocket(follower);
        return;
      }
      const reached = await sendToFollower(follower, [event]);
      if (reached && event.endsChannel) await closeSocket(follower);
    } catch (error) {
      if (event.endsChannel) throw error;
      const { connectionId } = follower;
      logger.warn('socket could be neither posted to nor closed', { connectionId, error });
      // The socket is open and its client can't notice the missed message.
      await stopDelivery(follower);
    }
  };

/**
 * Publishes an event to open sockets, and closes them after a final message.
 * @param pages of followers
 * @throws Error when the followers can't be read, when a socket is still open after the final message, and when a socket that
 *   can be neither posted to nor closed can't be marked for the heartbeat either
 */
export async function publishToSockets(event: StatusEvent, pages: AsyncIterable<Follower[]>): Promise<void> {
  const outgoingFor = outgoingTo(event);
  const send = publishToSocket(outgoingFor);
  let audience: Follower | undefined;
  for await (const page of pages) {
    const isEnd = event.role === 'end';
    audience ??= isEnd ? undefined : page.find(readsTopic);
    await withConcurrency(
      page.filter((follower) => isEnd || !readsTopic(follower)),
      send,
    );
  }
  if (audience?.broadcast !== undefined) await publish(audience.broadcast, outgoingFor(audience).text, 'none');
}
