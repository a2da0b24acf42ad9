import { setTimeout as pause } from 'node:timers/promises';
import { findFollowers, type Follower } from '../../data/channels/followers';
import { endSamples } from '../../data/channels/sessions';
import { isSending } from '../../data/shares/sending-mark';
import { deleteConnection, HANDSHAKE_RETRY_DELAYS_MS } from '../../data/channels/sockets';
import { broadcastTopic } from '../../data/shares/share-id';
import { isBroadcast, type Share } from '../../domain/shares/share';
import { eventsBetween } from '../../domain/channels/status-event';
import type { StatusMessage } from '../../domain/channels/status-message';
import { withConcurrency } from '../runtime/concurrency';
import { logger } from '../runtime/logger';
import { endFollowers } from './send-to-followers';

/** How long after the call the sockets are closed at the latest, in ms. */
const CLOSED_WITHIN_MS = 4000;
/** By then a call has mostly closed the viewers; if not, they may hear the end twice; in ms. */
const CALL_ENDS_MS = 1000;
/**
 * A sample that was on its way when they ended has arrived after so long, in ms: on two busy processors it took 152 ms
 * at most.
 */
const SAMPLES_ARRIVE_MS = 250;
/** How long after the first look comes the next one, and how long it may take at most, in ms: each takes twice as long. */
const FIRST_LOOK_AFTER_MS = 25;
const LONGEST_LOOK_AFTER_MS = 400;

/**
 * Stops the samples of a deleted share, sends its viewers the final message, and closes their sockets. After this
 * returns, no viewer receives anything else through that share. A number of viewers that is just being sent comes
 * first: it would follow the end. So do samples, and the first messages of a viewer, whose sender closes it too. What
 * is still open four seconds after the call is closed without a last message.
 *
 * The others are told by the stream, whose message has a cursor: the followers of the share's channel, which is the
 * organisation's own; and viewers who take samples from the topic of a wide share. These get no more samples, and a
 * thousand would keep the caller waiting.
 * @param share as it was; undefined when that is no longer known: then the sockets are closed without a message
 * @param now of the call, ISO 8601
 */
export async function closeViewersOfShare(shareCode: string, share: Share | undefined, now: string): Promise<void> {
  const viewers = await (share ? stopSamples(share) : viewersNow(shareCode));
  if (viewers.length === 0) return;
  if (share && (await end(share, viewers, now))) return;
  await withConcurrency(await viewersNow(shareCode), closeOrLog);
}

/**
 * Ends the samples of a revoked share: those of its topic, and those of each viewer.
 * @returns the viewers who are to be told the end, and closed
 */
export async function stopSamples(share: Share): Promise<Follower[]> {
  const { shareCode, deviceId } = share;
  if (isBroadcast(share)) await endSamples(broadcastTopic(shareCode), deviceId);
  const viewers = await viewersNow(shareCode);
  await withConcurrency(viewers, ({ connectionId }) => endSamples(connectionId, deviceId));
  return viewers;
}

/**
 * Tells the end of a revoked share, whose samples have been stopped, when those on their way have arrived. The viewers
 * who are left are those of a share that an operator has revoked, or whose call has died: a call that lives has mostly
 * closed them.
 * @param who is told: only viewers, when the others were told before
 */
export async function endLater(shareCode: string, message: StatusMessage, who: 'viewers' | 'all'): Promise<void> {
  await pause(CALL_ENDS_MS);
  await endFollowers(shareCode, message, who === 'all' ? undefined : isMeant);
}

const isMeant = ({ shareCode, broadcast }: Follower) => shareCode !== undefined && broadcast === undefined;

/** The sockets that the caller waits for. */
async function viewersNow(shareCode: string): Promise<Follower[]> {
  const found: Follower[] = [];
  for await (const page of findFollowers({ kind: 'share', id: shareCode })) found.push(...page.filter(isMeant));
  return found;
}

/** @returns whether all have been told the end and are closed */
async function end(share: Share, viewers: readonly Follower[], now: string): Promise<boolean> {
  const { shareCode } = share;
  const until = Date.parse(now) + CLOSED_WITHIN_MS;
  await pause(SAMPLES_ARRIVE_MS);
  if (await holdsBy(until, async () => !(await isSending(shareCode)))) {
    const [event] = eventsBetween({ kind: 'share', before: share, after: undefined }, now);
    if (event) await endFollowers(shareCode, event.message, isMeant);
    if (!viewers.some(isWaiting)) return true;
    if (await holdsBy(until, async () => !(await viewersNow(shareCode)).some(isWaiting))) return true;
  }
  logger.warn('viewers of a share are closed without its end: something else is still being sent to them');
  return false;
}

const isWaiting = ({ bufferingSince }: Follower) => bufferingSince !== undefined;

/** Looks until something holds. @param until Unix ms @returns whether it did in time */
async function holdsBy(until: number, holds: () => Promise<boolean>): Promise<boolean> {
  for (let wait = FIRST_LOOK_AFTER_MS; !(await holds()); wait = Math.min(wait * 2, LONGEST_LOOK_AFTER_MS)) {
    if (Date.now() >= until) return false;
    await pause(wait);
  }
  return true;
}

/** One that can't be closed is logged: the heartbeat closes it. */
async function closeOrLog(viewer: Follower): Promise<void> {
  const { connectionId } = viewer;
  // Its handshake may still be open: without retries the socket would stay open and receive nothing.
  const retryDelaysMs = isWaiting(viewer) ? HANDSHAKE_RETRY_DELAYS_MS : [];
  try {
    await deleteConnection(connectionId, retryDelaysMs);
  } catch (error) {
    logger.error('socket could not be closed', { connectionId, error });
  }
}
