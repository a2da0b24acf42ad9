/** The open sockets that follow a resource: what is sent to one, to all of them, and at the end of a share. */
import {
  followersOf,
  bufferMessages,
  stopDelivery,
  type BufferedMessage,
  type Follower,
} from '../../data/connections/followers';
import { publish } from '../../data/connections/mqtt-topics';
import { endTopic } from '../../data/connections/sessions';
import { closeSocket, endSocket, HANDSHAKE_RETRY_DELAYS_MS, postToSocket } from '../../data/connections/sockets';
import { broadcastTopicOf } from '../../data/shares/share-id';
import { isNewer, type Sequenced, type Sequences } from '../../domain/sequence';
import { isBroadcast, type Share } from '../../domain/share';
import { eventsBetween, type StatusEvent } from '../../domain/status-event';
import type { StatusMessage } from '../../domain/status-message';
import { withConcurrency } from '../concurrency';
import { inBatches } from './batches';
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
  const texts = all.filter(({ message }) => isNewer(message, sent)).map(({ text }) => text);
  for (const text of follower.batch ? inBatches(texts) : texts) if (!(await postToSocket(follower, text))) return false;
  return true;
}

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
 * Publishes an event to open sockets, and closes them after a final message.
 * @param pages of followers
 * @throws Error when the followers can't be read, when a socket is still open after the final message, and when a socket that
 *   can be neither posted to nor closed can't be marked for the heartbeat either
 */
export async function publishToSockets(event: StatusEvent, pages: AsyncIterable<Follower[]>): Promise<void> {
  const outgoingFor = outgoingTo(event);
  const send = publishToSocket(outgoingFor);
  let reader: Follower | undefined;
  for await (const page of pages) {
    const isEnd = event.role === 'end';
    reader ??= isEnd ? undefined : page.find(readsTopic);
    await withConcurrency(
      page.filter((follower) => isEnd || !readsTopic(follower)),
      send,
    );
  }
  if (reader?.broadcast !== undefined) await publish(reader.broadcast, outgoingFor(reader).text, 'none');
}

/** The message for partners, and for viewers of a share. */
const outgoingTo = ({ message, role }: StatusEvent) => {
  const toPartner = outgoing(message, role === 'end');
  const toViewer = outgoing(withoutCursor(message), role === 'end');
  return ({ shareCode }: Follower) => (shareCode === undefined ? toPartner : toViewer);
};

/** A viewer is a stranger to the organisation, whose log is not its business. */
const withoutCursor = <Message extends StatusMessage>({ cursor: _cursor, ...message }: Message) => message;

/** One socket must not block the others; only a final message fails until every socket of the channel is closed. */
const publishToSocket =
  (outgoingFor: (follower: Follower) => OutgoingMessage) =>
  async (follower: Follower): Promise<void> => {
    const event = outgoingFor(follower);
    try {
      if (follower.expiresAt * 1000 <= Date.now()) {
        // A partner's socket expires with its token, a viewer's with the share, whose end closes it with a last message.
        if (follower.shareCode === undefined) await closeSocket(follower);
        return;
      }
      const reached = await sendToFollower(follower, [event]);
      if (reached && event.endsChannel) await closeSocket(follower);
    } catch (error) {
      if (event.endsChannel) throw error;
      const { connectionId } = follower;
      logger.warn('socket could be neither posted to nor closed', { connectionId, error });
      // The socket is open and its client can't notice the missed message.
      await stopDelivery(follower);
    }
  };

/** A viewer may still be connecting to the topic, and would miss how many viewers there are with itself; in ms. */
const CONNECTING_MS = 30_000;

const readsTopic = ({ broadcast, bufferingSince, openedAt }: Follower) =>
  broadcast !== undefined && bufferingSince === undefined && openedAt * 1000 + CONNECTING_MS < Date.now();

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
