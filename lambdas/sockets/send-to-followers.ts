/** The open sockets that follow a resource: what is sent to one, to all of them, and at the end of a share. */
import {
  findFollowers,
  bufferMessages,
  stopDelivery,
  type BufferedMessage,
  type Follower,
} from '../../data/channels/followers';
import { publishOnTopic } from '../../data/channels/iot-data-plane';
import { closeSocket, deleteConnection, endSocket, postToSocket } from '../../data/channels/sockets';
import { isNewer, type Sequenced, type Sequences } from '../../domain/channels/sequence';
import type { StatusEvent } from '../../domain/channels/status-event';
import type { StatusMessage } from '../../domain/channels/status-message';
import { withConcurrency } from '../runtime/concurrency';
import { logger } from '../runtime/logger';
import type { DeviceTelemetryBatchMessage } from '../../contract/channels/socket-messages';

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
export async function publishToSockets(
  event: StatusEvent,
  pages: AsyncIterable<Follower[]> | Iterable<Follower[]>,
): Promise<void> {
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
  if (reader?.broadcast !== undefined) await publishOnTopic(reader.broadcast, outgoingFor(reader).text, 'none');
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

/** By then the function that was to send a follower its first messages has ended, in seconds. */
const FIRST_MESSAGES_WITHIN_S = 30;

/** Whether a follower waits for first messages that nobody sends any more: it has missed a message, or that function has died. */
const isGivenUp = ({ bufferingSince, waiting }: Follower) =>
  bufferingSince !== undefined &&
  (waiting !== undefined || bufferingSince + FIRST_MESSAGES_WITHIN_S < Math.floor(Date.now() / 1000));

/**
 * Sends a final message to every socket that follows a share, and closes them; one that can't be closed is logged: the heartbeat
 * closes it. The message of one that waits for its first messages is buffered, and whoever sends those closes it:
 * nothing else may be sent to it meanwhile, since an older state could follow. Nothing is written for a viewer: its
 * seat ends with the share, and `$disconnect` deletes its connection. Call it only when no state of the share is being
 * sent any more.
 * @param isMeant whether a follower is one of them; default: all are
 */
export async function endFollowers(
  shareCode: string,
  message: StatusMessage,
  isMeant: (follower: Follower) => boolean = () => true,
): Promise<void> {
  const toPartner = outgoing(message, true);
  const toViewer = outgoing(withoutCursor(message), true);
  const end = async (follower: Follower): Promise<void> => {
    const isViewer = follower.shareCode !== undefined;
    const close = () => (isViewer ? deleteConnection(follower.connectionId) : closeSocket(follower));
    if (isGivenUp(follower)) return close();
    if (isViewer && follower.bufferingSince === undefined) return endSocket(follower, toViewer.text);
    if (await sendToFollower(follower, [isViewer ? toViewer : toPartner])) await close();
  };
  const endOrLog = (follower: Follower) =>
    end(follower).catch((error: unknown) =>
      logger.error('socket could not be closed', { connectionId: follower.connectionId, error }),
    );
  for await (const page of findFollowers({ kind: 'share', id: shareCode }))
    await withConcurrency(page.filter(isMeant), endOrLog);
}

/** Maximum size of a batch, in bytes: API Gateway counts a message by each 32 kB (API Gateway pricing, WebSocket APIs). */
const MAX_BYTES = 32 * 1024;

const type: DeviceTelemetryBatchMessage['type'] = 'device.telemetry.batch';
const [begin, end] = [`{"type":"${type}","samples":[`, ']}'];
const FRAME_BYTES = Buffer.byteLength(begin + end);

/**
 * Packs messages about devices into as few as possible, in their order; a message that would be alone stays as it is.
 * @param texts each a message as JSON
 */
export function inBatches(texts: readonly string[]): string[] {
  const batches: string[][] = [];
  let bytes = Infinity;
  for (const text of texts) {
    const more = Buffer.byteLength(text) + 1;
    if (bytes + more > MAX_BYTES) {
      batches.push([]);
      bytes = FRAME_BYTES;
    }
    batches.at(-1)?.push(text);
    bytes += more;
  }
  return batches.map((batch) => (batch.length === 1 ? batch.join() : `${begin}${batch.join(',')}${end}`));
}
