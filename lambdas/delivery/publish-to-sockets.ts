import { stopDelivery, type Follower } from '../../data/connections/followers';
import { closeSocket } from '../../data/connections/sockets';
import type { StatusEvent } from '../../domain/status-event';
import { withConcurrency } from './with-concurrency';
import { logger } from '../logger';
import { sendToFollower, outgoing, type OutgoingMessage } from './send-to-follower';

/** One socket must not block the others; only a final message fails until every socket of the channel is closed. */
const publishToSocket =
  (event: OutgoingMessage) =>
  async (follower: Follower): Promise<void> => {
    try {
      // A socket expires with the token that opened it. A viewer still gets the final message, that its share has expired.
      const isEndOfShare = event.endsChannel && follower.shareCode !== undefined;
      const hasExpired = follower.expiresAt * 1000 <= Date.now() && !isEndOfShare;
      const reached = !hasExpired && (await sendToFollower(follower, [event]));
      if (hasExpired || (reached && event.endsChannel)) await closeSocket(follower);
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
export async function publishToSockets(
  { message, role }: StatusEvent,
  pages: AsyncIterable<Follower[]>,
): Promise<void> {
  const send = publishToSocket(outgoing(message, role === 'end'));
  for await (const page of pages) await withConcurrency(page, send);
}
