import { webSocketActions } from '../../contract/websocket-actions';
import type { Follower } from '../../data/connections/followers';
import { extendSubscription } from '../../data/connections/renewal';
import { findSession, unfollowItem } from '../../data/connections/sessions';
import { closeSocket } from '../../data/connections/sockets';
import { logger } from '../logger';

const { needs } = webSocketActions.subscribe;

/**
 * Whether a follower goes on after the token with which it subscribed has ended: a new token renews the session only, so its
 * subscriptions are extended here, when the next sample comes. The socket of a partner that does not go on is closed.
 */
export async function continues(follower: Follower): Promise<boolean> {
  // A viewer's socket is closed after the final message of its share; closing it here would lose that message.
  if (follower.shareCode !== undefined) return false;
  const { connectionId } = follower;
  const session = await findSession(connectionId).catch((error: unknown) => {
    logger.warn('session could not be read, so its socket is closed', { connectionId, error });
    return undefined;
  });
  if (session?.kind !== 'partner' || session.expiresAt * 1000 <= Date.now()) {
    await closeSocket(follower);
    return false;
  }
  // The new token does not allow the subscription, which was too new to be ended with the others.
  if (!session.scopes.includes(needs)) {
    await unfollowItem(follower);
    return false;
  }
  await extendSubscription(follower, session.expiresAt).catch((error: unknown) =>
    // The next sample extends it.
    logger.warn('subscription could not be extended', { connectionId, error }),
  );
  return true;
}
