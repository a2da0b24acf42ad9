import { letWait, type Follower } from '../../data/connections/followers';
import { closeSocket } from '../../data/connections/sockets';
import type { StatusEvent } from '../../domain/status-event';
import { withConcurrency } from './with-concurrency';
import { logger } from '../logger';
import { reachFollower, said, type Said } from './reach-follower';

/** One socket must not keep a change from the others; but a channel that has ended is not left while one is open. */
const publishToSocket =
  (what: Said) =>
  async (follower: Follower): Promise<void> => {
    try {
      // A socket lives no longer than the token that opened it; a viewer is to hear that the time of its share is up.
      const isEnd = what.last && follower.shareCode !== undefined;
      const isOver = follower.expiresAt * 1000 <= Date.now() && !isEnd;
      const reached = !isOver && (await reachFollower(follower, [what]));
      if (isOver || (reached && what.last)) await closeSocket(follower);
    } catch (error) {
      if (what.last) throw error;
      const { connectionId } = follower;
      logger.warn('a socket could be neither reached nor closed', { connectionId, error });
      // It is open and does not know what it has missed.
      await letWait(follower);
    }
  };

/**
 * Says something to open sockets, and closes them after the last word.
 * @param pages of those who are told
 * @throws Error when the followers can't be read, when a socket is still open after the last word, and when one that could
 *   be neither reached nor closed can't be left to the heartbeat either
 */
export async function publishToSockets(
  { message, weight }: StatusEvent,
  pages: AsyncIterable<Follower[]>,
): Promise<void> {
  const serve = publishToSocket(said(message, weight === 'last'));
  for await (const page of pages) await withConcurrency(page, serve);
}
