import { ApiError, DroneMissionError, isTemporary } from '../errors.ts';
import type { CommandStatusMessage } from '../types.ts';
import { anySignal, sleep, untilAborted, waitBefore } from '../waiting.ts';
import {
  connect,
  type Channel,
  type ChannelConnection,
  type ChannelSettings,
  type FlightFollowOptions,
  type FollowOptions,
} from './connection.ts';
import { isCommand, ReceivedMessages, type SequencedMessage } from './received.ts';
import { UnexplainedFailure } from './socket.ts';

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

/** How long a connection that is being replaced waits for the first message of the new one, in ms. */
const OVERLAP_MS = 5_000;

/** What a lost channel's next attempt depends on. */
interface Progress {
  /** Whether any connection has been made. */
  hasConnected: boolean;
  /** Attempts since a connection last brought a message. */
  failures: number;
  /** Whether the last attempt was refused with 401, after which one attempt is made with a new token. */
  isUnauthorised: boolean;
}

/** What to do after an attempt that failed. */
type Verdict = 'again' | 'ended' | 'failed';

function verdictOn(error: unknown, progress: Progress, maxRetries: number): Verdict {
  const { hasConnected, failures, isUnauthorised } = progress;
  if (error instanceof ApiError && error.status === 401 && !isUnauthorised) return 'again';
  // Deleted, revoked or expired while there was no connection.
  if (hasConnected && error instanceof ApiError && error.status === 404) return 'ended';
  return isTemporary(error, hasConnected) && (hasConnected || failures < maxRetries) ? 'again' : 'failed';
}

/** Whether the service may have refused the cursor, and not the channel. */
const isRefusedCursor = (error: unknown) =>
  (error instanceof ApiError && error.status === 400) || error instanceof UnexplainedFailure;

/** Connects after the last cursor; without it when the service does not know it any more, such as after its data were lost. */
async function resume(channel: Channel, settings: ChannelSettings, received: ReceivedMessages, signal: AbortSignal) {
  const after = received.resumeAfter;
  if (after === undefined) return connect(channel, settings, received, undefined, signal);
  try {
    return await connect(channel, settings, received, after, signal);
  } catch (error) {
    if (!isRefusedCursor(error)) throw error;
    return connect(channel, settings, received, undefined, signal);
  }
}

/**
 * Keeps a channel connected until its resource no longer exists. A connection whose time is about to end, or whose token can't
 * be renewed, is closed only after its successor has brought the first message, so that no change falls between the two.
 * @param received gets the messages of all connections
 * @throws ApiError, ConnectionError when another attempt can't help; the reason of the signal
 */
async function keepConnected(
  channel: Channel,
  settings: ChannelSettings,
  received: ReceivedMessages,
  onReconnect: FollowOptions['onReconnect'],
  signal: AbortSignal,
): Promise<void> {
  const progress: Progress = { hasConnected: false, failures: 0, isUnauthorised: false };
  let current: ChannelConnection | undefined;
  try {
    for (;;) {
      const next = await resume(channel, settings, received, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        const verdict = verdictOn(error, progress, settings.maxRetries);
        if (verdict === 'failed') throw error;
        return { verdict, error };
      });
      if ('verdict' in next) {
        if (next.verdict === 'ended') return;
        const refused = next.error instanceof ApiError ? next.error : undefined;
        progress.isUnauthorised = refused?.status === 401;
        // All seats of the client may be taken, one of them by the connection to be replaced.
        if (refused?.status === 429) current?.close();
        await sleep(waitBefore(++progress.failures, refused?.retryAfterMs), signal);
        continue;
      }
      if (current) await handOver(current, next, signal);
      current = next;
      progress.hasConnected = true;
      progress.isUnauthorised = false;

      const why = await untilAborted(endOf(next), signal);
      if (why === 'due') continue;
      current = undefined;
      if (next.isConfirmed()) progress.failures = 0;
      if (why.error && !isTemporary(why.error, true)) throw why.error;
      onReconnect?.(why.error);
      await sleep(waitBefore(++progress.failures), signal);
    }
  } finally {
    current?.close();
  }
}

/** Waits until a connection has closed, or is to be replaced. */
async function endOf({ closed, untilDue }: ChannelConnection): Promise<'due' | { readonly error: Error | undefined }> {
  const stop = new AbortController();
  const due = untilDue(stop.signal).then(() => 'due' as const);
  // Rejects when the connection closes first.
  due.catch(() => undefined);
  try {
    return await Promise.race([due, closed.then((error) => ({ error }))]);
  } finally {
    stop.abort();
  }
}

/** Closes a connection once its successor has brought a message, has closed, or brings nothing. */
async function handOver(old: ChannelConnection, next: ChannelConnection, signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const limit = sleep(OVERLAP_MS, AbortSignal.any([signal, stop.signal])).catch(() => undefined);
  await Promise.race([next.firstMessage, next.closed, limit]);
  stop.abort();
  old.close();
}

/** A channel by its path below `wsUrl`. */
export interface ChannelAt extends Omit<Channel, 'url'> {
  readonly path: string;
}

/** The channels below the service's `wsUrl`. */
export class StatusChannels {
  constructor(
    readonly settings: ChannelSettings,
    private readonly wsUrl: string | undefined,
  ) {}

  /** The address of a path. @throws DroneMissionError when the client does not know `wsUrl` */
  urlOf(path: string): string {
    if (this.wsUrl !== undefined) return this.wsUrl + path;
    throw new DroneMissionError('wsUrl is missing: the client needs the address of the channels, wss://….');
  }

  /** The messages of a channel. @throws ApiError, ConnectionError, the reason of the signal */
  follow<Message extends SequencedMessage>(
    { path, ...channel }: ChannelAt,
    options: FlightFollowOptions,
  ): AsyncGenerator<Message, void, undefined> {
    return follow<Message>({ ...channel, url: this.urlOf(path) }, this.settings, options);
  }
}
