import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../../data/channels/connections';
import {
  readBuffered,
  startFollowing,
  type BufferedMessage,
  type WaitingFollower,
} from '../../data/channels/followers';
import { closeSocket, postToSocket } from '../../data/channels/sockets';
import { isNewer, sequenceIn, type Sequenced, type Sequences } from '../../domain/channels/sequence';

/** Waits for the final message of a resource that has just been deleted, in ms. */
const FINAL_MESSAGE_RETRY_DELAYS_MS = [0, 50, 100, 200, 400, 800, 1600];

/**
 * For how long buffered messages are sent until the follower is looked at again, in ms. One that was deleted meanwhile
 * is sent no more: it followed the device of a share that has been revoked. Less than `SAMPLES_ARRIVE_MS`
 * (`lambdas/sockets/close-followers.ts`), after which its viewer is told so.
 */
const LOOK_AGAIN_AFTER_MS = 100;

/**
 * Sends those buffered messages that are newer than what was sent before, at least one of them. A message may be
 * buffered twice: the SDK repeats a write whose answer was lost.
 * @returns what was sent by now, and how many of the messages are done; undefined when the socket is closed afterwards
 */
async function sendBuffered(
  follower: Connection,
  buffered: readonly BufferedMessage[],
  before: Sequences,
): Promise<{ sent: Sequences; count: number } | undefined> {
  const sent = { ...before };
  const began = performance.now();
  for (const [count, { text, endsChannel }] of buffered.entries()) {
    if (count > 0 && performance.now() - began > LOOK_AGAIN_AFTER_MS) return { sent, count };
    const message = JSON.parse(text) as Sequenced;
    if (isNewer(message, sent)) {
      if (!(await postToSocket(follower, text))) return undefined;
      Object.assign(sent, sequenceIn(message));
    }
    if (endsChannel) {
      await closeSocket(follower);
      return undefined;
    }
  }
  return { sent, count: buffered.length };
}

/**
 * Sends a follower the messages that were buffered while it was sent the snapshot, in order, and then switches it to direct
 * delivery: nothing is missing between snapshot and changes, nothing older follows, and no state comes twice.
 * @param snapshot its sequences
 * @returns whether it follows now; false also when it waits for another snapshot, which goes on in place of this one
 */
export async function catchUp(follower: WaitingFollower, snapshot: Sequences): Promise<boolean> {
  let count = 0;
  let sent = snapshot;
  for (;;) {
    const buffered = await startFollowing(follower, sent, count);
    if (typeof buffered === 'string') return buffered === 'follows';
    const done = await sendBuffered(follower, buffered.slice(count), sent);
    if (!done) return false;
    sent = done.sent;
    count += done.count;
  }
}

/** The final message, as soon as it is buffered for the follower. */
async function bufferedFinalMessage(follower: Connection): Promise<string | undefined> {
  for (const wait of FINAL_MESSAGE_RETRY_DELAYS_MS) {
    await pause(wait);
    const buffered = (await readBuffered(follower)).find(({ endsChannel }) => endsChannel);
    if (buffered) return buffered.text;
  }
  return undefined;
}

/**
 * Sends the final message of a deleted resource and closes the socket.
 * @param retryDelaysMs waits while the handshake may still be open
 * @param known the final message as the handshake knew it, for the case that none is buffered: the fan-out may have read the
 *   followers before this one was stored
 */
export async function sendFinalMessage(
  follower: Connection,
  retryDelaysMs: readonly number[],
  known?: string,
): Promise<void> {
  const text = (await bufferedFinalMessage(follower)) ?? known;
  if (text !== undefined) await postToSocket(follower, text, retryDelaysMs);
  await closeSocket(follower, retryDelaysMs);
}
