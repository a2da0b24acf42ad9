import { bufferMessages, type Follower, type BufferedMessage } from '../../data/connections/followers';
import { closeSocket, postToSocket } from '../../data/connections/sockets';
import { isNewer, type Sequenced, type Sequences } from '../../domain/sequence';
import { logger } from '../logger';

/** A message with its JSON text, which is built once for all followers. */
export interface OutgoingMessage {
  readonly message: Sequenced;
  readonly text: string;
  /** Final message: the channel ends with it. */
  readonly endsChannel?: boolean;
}

export const outgoing = (message: Sequenced, endsChannel = false): OutgoingMessage => ({
  message,
  text: JSON.stringify(message),
  endsChannel,
});

/** A follower whose messages can't be buffered is closed, so that its client reconnects: it could not notice the gap. */
async function bufferOrClose(follower: Follower, buffered: readonly BufferedMessage[]): Promise<Sequences | undefined> {
  try {
    return await bufferMessages(follower, buffered);
  } catch (error) {
    logger.warn('messages could not be buffered', { connectionId: follower.connectionId, error });
    await closeSocket(follower);
    return undefined;
  }
}

/**
 * Sends a follower those messages that it has not been sent yet, in order. While the follower waits for its snapshot, the
 * messages are buffered instead.
 * @returns whether the socket is open and has been sent everything; false also when the messages are buffered
 * @throws Error when the socket can be neither posted to nor closed
 */
export async function sendToFollower(follower: Follower, all: readonly OutgoingMessage[]): Promise<boolean> {
  const buffered = all.map(({ text, endsChannel }) => ({ text, ...(endsChannel && { endsChannel }) }));
  // The snapshot may have been sent since the follower was read.
  const sent = follower.bufferingSince ? await bufferOrClose(follower, buffered) : (follower.sentSequences ?? {});
  if (!sent) return false;
  for (const { message, text } of all)
    if (isNewer(message, sent) && !(await postToSocket(follower, text))) return false;
  return true;
}
