import type { DropReason, InboundDetail } from '../../contract/platform';
import type { ControlOutcomeMessage } from '../../contract/share-page';
import { acceptOutcome } from '../../data/requests/control-requests';
import { followersOf, type Follower } from '../../data/connections/followers';
import { withConcurrency } from '../concurrency';
import { logger } from '../logger';
import { sendToFollower, outgoing, type OutgoingMessage } from '../delivery/followers';
import { shareIdOf } from '../../data/shares/share-id';

/** One viewer's failure must not affect the others. */
const send = (outcome: OutgoingMessage) => async (viewer: Follower) => {
  try {
    await sendToFollower(viewer, [outcome]);
  } catch (error) {
    const { connectionId } = viewer;
    logger.warn('socket could be neither posted to nor closed', { connectionId, error });
  }
};

/**
 * Sends the outcome of a command to all viewers of the share that it came through: the viewer that sent the command may have
 * reconnected since.
 * @returns the drop reason when the outcome is sent to nobody
 */
export async function publishControlOutcome(
  reported: InboundDetail<'control.outcome.reported'>,
  eventId: string,
  now: Date,
): Promise<DropReason | undefined> {
  const { requestId, deviceId, outcome, reason, at } = reported;
  const taken = await acceptOutcome(requestId, deviceId, eventId, now);
  if (typeof taken === 'string') return taken;
  const { shareCode } = taken;
  const message: ControlOutcomeMessage = {
    type: 'control.outcome',
    requestId,
    deviceId,
    outcome,
    timestamp: at,
    ...(reason !== undefined && { reason }),
  };
  logger.info('control outcome', { requestId, shareId: shareIdOf(shareCode), deviceId, outcome });
  for await (const page of followersOf({ kind: 'share', id: shareCode })) {
    // Partners follow the share's status on the same channel, which carries no other type of message.
    const viewers = page.filter((follower) => follower.shareCode === shareCode);
    await withConcurrency(viewers, send(outgoing(message)));
  }
  return undefined;
}
