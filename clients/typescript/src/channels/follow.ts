import { anySignal } from '../abort.ts';
import type { CommandStatusMessage } from '../types.ts';
import type { Channel, ChannelSettings, FlightFollowOptions } from './channel.ts';
import { Inbox } from './inbox.ts';
import { keepConnected } from './keep-connected.ts';
import { isCommand, ReceivedMessages, type SequencedMessage } from './received.ts';

/**
 * The messages of a channel: the state at first, then every change, each once and in order. Lost connections are made again,
 * after the last cursor, so that what was missed meanwhile comes first; on channels without cursors a snapshot tells what has changed.
 * @returns ends after the last message about the resource
 * @throws ApiError, ConnectionError when another attempt can't help; the reason of the signal
 */
export async function* follow<Message extends SequencedMessage>(
  channel: Channel,
  settings: ChannelSettings,
  { signal, onReconnect, onGap, onCommand, after }: FlightFollowOptions = {},
): AsyncGenerator<Message, void, undefined> {
  const stop = new AbortController();
  const stopped = anySignal(signal, stop.signal);
  const inbox = new Inbox<Message>();
  const received = new ReceivedMessages(
    (message) => {
      if (isCommand(message)) return onCommand?.(message as unknown as CommandStatusMessage);
      // The channel was opened for this type of message.
      inbox.add(message as Message);
      if (channel.isLast(message)) inbox.end();
    },
    onGap,
    after,
    channel.type,
  );
  const connection = keepConnected(channel, settings, received, onReconnect, stopped).then(
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
