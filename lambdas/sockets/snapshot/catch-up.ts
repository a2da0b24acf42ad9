import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../../../data/connections/connections';
import {
  readBuffered,
  startFollowing,
  type BufferedMessage,
  type WaitingFollower,
} from '../../../data/connections/followers';
import { closeSocket, postToSocket } from '../../../data/connections/sockets';
import { isNewer, sequenceIn, type Sequenced, type Sequences } from '../../../domain/sequence';

/** Waits for the final message of a resource that has just been deleted, in ms. */
const FINAL_MESSAGE_RETRY_DELAYS_MS = [0, 50, 100, 200, 400, 800, 1600];

/**
 * Sends those buffered messages that are newer than what was sent before. A message may be buffered twice: the SDK repeats a write
 * whose answer was lost.
 * @returns what was sent by now; undefined when the socket is closed afterwards
 */
async function sendBuffered(
  follower: Connection,
  buffered: readonly BufferedMessage[],
  before: Sequences,
): Promise<Sequences | undefined> {
  const sent = { ...before };
  for (const { text, endsChannel } of buffered) {
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
  return sent;
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
    const after = await sendBuffered(follower, buffered.slice(count), sent);
    if (!after) return false;
    sent = after;
    count = buffered.length;
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
