import { followersOf, type Follower } from '../../data/connections/followers';
import { closeSocket, endSocket, postToSocket } from '../../data/connections/sockets';
import { isBroadcast, type Share } from '../../domain/share';
import { eventsBetween } from '../../domain/status-event';
import type { StatusMessage } from '../../domain/status-message';
import { withConcurrency } from '../concurrency';
import { HANDSHAKE_RETRY_DELAYS_MS } from '../sockets/snapshot/handshake-delays';
import { logger } from '../logger';
import { endTopic } from '../../data/connections/sessions';
import { broadcastTopicOf } from '../../data/shares/broadcast';
import { sendToFollower, outgoing } from './followers';

/**
 * Sends the final message of a deleted share to the sockets that follow it, viewers' included, and closes them. After this returns, no
 * socket receives anything else through that share. A thousand would keep the caller waiting: viewers who take samples from the topic of
 * a wide share get no more of them, and are closed by the invocation that the deletion causes (`share-end`).
 * @param share as it was; undefined when that is no longer known: then no final message is sent
 * @param now ISO 8601
 */
export async function closeFollowersOfShare(shareCode: string, share: Share | undefined, now: string): Promise<void> {
  if (share && isBroadcast(share)) await endTopic(broadcastTopicOf(shareCode), share.deviceId);
  const [event] = share ? eventsBetween({ kind: 'share', before: share, after: undefined }, now) : [];
  await endFollowers(shareCode, event?.message, ({ broadcast }) => broadcast === undefined);
}

/**
 * Sends a final message to every socket that follows a share, and closes them; one that can't be closed is logged: the heartbeat
 * closes it. Nothing is written for a viewer: its seat ends with the share, and `$disconnect` deletes its connection.
 * @param isMeant whether a follower is one of them; default: all are
 */
export async function endFollowers(
  shareCode: string,
  message: StatusMessage | undefined,
  isMeant: (follower: Follower) => boolean = () => true,
): Promise<void> {
  const end = message && outgoing(message, true);
  // A viewer is a stranger to the organisation, whose log is not its business.
  const toViewer = message && JSON.stringify({ ...message, cursor: undefined });
  const close = async (follower: Follower): Promise<void> => {
    // One that still waits for its snapshot is sent the message directly, since the snapshot may come too late. Its handshake may
    // still be open: without retries the socket would stay open and receive nothing.
    const retryDelaysMs = follower.bufferingSince ? HANDSHAKE_RETRY_DELAYS_MS : [];
    if (follower.shareCode !== undefined) return endSocket(follower, toViewer, retryDelaysMs);
    if (end)
      await (follower.bufferingSince
        ? postToSocket(follower, end.text, retryDelaysMs)
        : sendToFollower(follower, [end]));
    await closeSocket(follower, retryDelaysMs);
  };
  const closeOrLog = (follower: Follower) =>
    close(follower).catch((error: unknown) =>
      logger.error('socket could not be closed', { connectionId: follower.connectionId, error }),
    );
  for await (const page of followersOf({ kind: 'share', id: shareCode }))
    await withConcurrency(page.filter(isMeant), closeOrLog);
}
