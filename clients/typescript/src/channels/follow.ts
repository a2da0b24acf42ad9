import { anySignal } from '../abort.ts';
import type { Channel, ChannelSettings, FollowOptions } from './channel.ts';
import { Inbox } from './inbox.ts';
import { keepConnected } from './keep-connected.ts';
import { ReceivedMessages, type SequencedMessage } from './received.ts';

/**
 * The messages of a channel: the state at first, then every change, each once and in order. Lost connections are made again,
 * and the snapshot that each begins with tells what has changed meanwhile.
 * @returns ends after the last message about the resource
 * @throws ApiError, ConnectionError when another attempt can't help; the reason of the signal
 */
export async function* follow<Message extends SequencedMessage>(
  channel: Channel,
  settings: ChannelSettings,
  { signal, onReconnect, onGap }: FollowOptions = {},
): AsyncGenerator<Message, void, undefined> {
  const stop = new AbortController();
  const stopped = anySignal(signal, stop.signal);
  const inbox = new Inbox<Message>();
  const received = new ReceivedMessages(onGap);
  const receive = (message: SequencedMessage) => {
    if (!received.accept(message)) return;
    // The channel was opened for this type of message.
    inbox.add(message as Message);
    if (channel.isLast(message)) inbox.end();
  };
  const connection = keepConnected(channel, settings, receive, onReconnect, stopped).then(
    () => inbox.end(),
    (error: unknown) => inbox.end({ error }),
  );
  try {
    yield* inbox.read();
  } finally {
    stop.abort();
    await connection;
  }
}
