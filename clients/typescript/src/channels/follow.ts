import { anySignal } from '../abort.ts';
import type { CommandStatusMessage } from '../types.ts';
import type { Channel, ChannelSettings, FlightFollowOptions } from './channel.ts';
import { keepConnected } from './keep-connected.ts';
import { isCommand, ReceivedMessages, type SequencedMessage } from './received.ts';

/**
 * A queue between a source of messages and one reader. Messages that arrived before the end or before an error are read first,
 * so none is lost.
 */
class Inbox<Message> {
  readonly #waiting: Message[] = [];
  #end: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;

  add(message: Message): void {
    if (this.#end) return;
    this.#waiting.push(message);
    this.#wake?.();
  }

  /** Ends the queue; with an error, the reader gets it after the last message. Only the first call counts. */
  end(failure: { readonly error?: unknown } = {}): void {
    this.#end ??= failure;
    this.#wake?.();
  }

  async *read(): AsyncGenerator<Message, void, undefined> {
    for (;;) {
      const message = this.#waiting.shift();
      if (message !== undefined) yield message;
      else if (!this.#end) await new Promise<void>((resolve) => (this.#wake = resolve));
      else if ('error' in this.#end) throw this.#end.error;
      else return;
    }
  }
}

/**
 * The messages of a channel: the state at first, then every change, each once and in order. Lost connections are made again,
 * after the last cursor, so that what was missed meanwhile comes first; on channels without cursors a snapshot tells
 * what has changed.
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
