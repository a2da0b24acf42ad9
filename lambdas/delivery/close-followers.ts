import { followersOf, type Follower } from '../../data/connections/followers';
import { closeSocket, postToSocket } from '../../data/connections/sockets';
import type { Share } from '../../domain/share';
import { eventsBetween } from '../../domain/status-event';
import { withConcurrency } from './with-concurrency';
import { OPENING_MS } from '../channel/greeting/opening';
import { logger } from '../logger';
import { reachFollower, said } from './reach-follower';

/**
 * Closes every socket that follows a share which has just been removed, viewers among them, after the last word: once this
 * has ended, nobody hears anything by that share any more.
 * @param share as it was; undefined when that is not known any more: then there is no last word
 * @param now ISO 8601
 */
export async function closeFollowersOfShare(shareCode: string, share: Share | undefined, now: string): Promise<void> {
  const [event] = share ? eventsBetween({ kind: 'share', before: share, after: undefined }, now) : [];
  const end = event && said(event.message, true);
  const close = async (follower: Follower): Promise<void> => {
    try {
      // One that waits is told at once, for whoever greets it may be later than this; it may be in its handshake still,
      // and would be open and deaf after it.
      const patience = follower.waits ? OPENING_MS : [];
      if (end) await (follower.waits ? postToSocket(follower, end.text, patience) : reachFollower(follower, [end]));
      await closeSocket(follower, patience);
    } catch (error) {
      // The stream of shares tells it again, and goes on until it is closed.
      logger.error('a socket could not be closed', { connectionId: follower.connectionId, error });
    }
  };
  for await (const page of followersOf({ kind: 'share', id: shareCode })) await withConcurrency(page, close);
}
