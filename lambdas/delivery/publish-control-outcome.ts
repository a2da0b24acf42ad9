import type * as z from 'zod/mini';
import { inboundEvents, type DropReason } from '../../contract/platform';
import type { ControlOutcomeMessage } from '../../contract/telemetry';
import { takeOutcome } from '../../data/requests/control-requests';
import { followersOf, type Follower } from '../../data/connections/followers';
import { withConcurrency } from './with-concurrency';
import { logger } from '../logger';
import { reachFollower, said, type Said } from './reach-follower';
import { shareIdOf } from './share-id';

type Reported = z.output<(typeof inboundEvents)['control.outcome.reported']>;

/** One viewer's trouble is not the others'. */
const send = (what: Said) => async (viewer: Follower) => {
  try {
    await reachFollower(viewer, [what]);
  } catch (error) {
    const { connectionId } = viewer;
    logger.warn('a socket could be neither reached nor closed', { connectionId, error });
  }
};

/**
 * Tells the viewers of a share what became of a command that came over it: whoever sent it may have connected anew since.
 * @returns why nobody is told
 */
export async function publishControlOutcome(
  reported: Reported,
  eventId: string,
  now: Date,
): Promise<DropReason | undefined> {
  const { requestId, deviceId, outcome, reason, at } = reported;
  const taken = await takeOutcome(requestId, deviceId, eventId, now);
  if (typeof taken === 'string') return taken;
  const { shareCode } = taken;
  const message: ControlOutcomeMessage = {
    ...{ type: 'control.outcome', requestId, deviceId, outcome, timestamp: at },
    ...(reason !== undefined && { reason }),
  };
  logger.info('control outcome', { requestId, shareId: shareIdOf(shareCode), deviceId, outcome });
  for await (const page of followersOf({ kind: 'share', id: shareCode })) {
    // Partners follow the share's status on the same channel; its messages are of one type.
    const viewers = page.filter((follower) => follower.shareCode === shareCode);
    await withConcurrency(viewers, send(said(message)));
  }
  return undefined;
}
