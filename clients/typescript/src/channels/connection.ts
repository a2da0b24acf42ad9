import { ApiError, refusalOfMessage, type ErrorMessage } from '../errors.ts';
import type { Channel, ChannelSettings } from './channel.ts';
import type { ReceivedMessages, SequencedMessage } from './received.ts';
import { SocketLife } from './socket-life.ts';
import type { Socket } from '../socket.ts';

/** Answers, warnings and signs of life, which are no messages about a resource. */
const SERVICE_MESSAGES = ['heartbeat', 'pong', 'subscribed', 'snapshot.end', 'expiring'];

/** An open connection to a channel. */
export interface ChannelConnection {
  /** Resolves when it is to be replaced, since its token or its time ends. @throws the reason of the signal */
  readonly untilDue: (signal: AbortSignal) => Promise<void>;
  /** Resolves with the first message about the resource, or when there is none to be sent after a cursor; or never. */
  readonly firstMessage: Promise<void>;
  /** Resolves when it has closed: with the error message of the service that closed it, if there was one. */
  readonly closed: Promise<Error | undefined>;
  /** Whether a message about the resource has arrived. */
  readonly isConfirmed: () => boolean;
  close(): void;
}

/** Samples that arrived together. */
const BATCH = 'device.telemetry.batch';
interface BatchMessage extends SequencedMessage {
  readonly samples: readonly SequencedMessage[];
}

const NO_MESSAGE = { type: 'heartbeat' } as const;

/** A message; what is no JSON object counts as a sign of life. */
function parseMessage(text: string): SequencedMessage | ErrorMessage {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === 'object' && message !== null ? (message as SequencedMessage) : NO_MESSAGE;
  } catch {
    return NO_MESSAGE;
  }
}

/** The messages that one stands for: each sample of a batch, since callers get them one by one. */
const single = (message: SequencedMessage): readonly SequencedMessage[] =>
  message.type === BATCH ? (message as BatchMessage).samples : [message];

/** The address of a channel, to begin with what was missed since a cursor. */
function addressAfter(url: string, after: string | undefined): string {
  if (after === undefined) return url;
  const address = new URL(url);
  address.searchParams.set('after', after);
  return address.href;
}

/**
 * Connects to a channel, with a token that is valid for a while.
 * @param after cursor to resume after
 * @throws ApiError, ConnectionError, the reason of the signal
 */
export async function connect(
  channel: Channel,
  { open, tokens, watchdog, answerWithinMs }: ChannelSettings,
  received: ReceivedMessages,
  after: string | undefined,
  signal: AbortSignal,
): Promise<ChannelConnection> {
  let isConfirmed = false;
  let confirm: (() => void) | undefined;
  let heard: (() => void) | undefined = undefined;
  let failure: Error | undefined;
  // The state comes instead of what was missed.
  let startsAgain = after === undefined && received.resumeAfter !== undefined;
  const firstMessage = new Promise<void>((resolve) => (confirm = resolve));

  const token = await tokens?.get(signal);
  const life = new SocketLife(token && tokens ? { token, tokens, answerWithinMs } : undefined);
  const receive = (text: string) => {
    heard?.();
    const message = parseMessage(text);
    if (channel.questions?.take(message) || life.take(message)) return;
    if (message.type === 'error') {
      failure = refusalOfMessage(channel.subject, message as ErrorMessage);
      return socket?.close();
    }
    if (SERVICE_MESSAGES.includes(message.type)) return;
    if (message.type === 'gap') {
      startsAgain = true;
      return;
    }
    isConfirmed = true;
    confirm?.();
    if (message.type === 'resumed') return;
    if (startsAgain) received.startAgain();
    startsAgain = false;
    for (const each of single(message)) received.receive(each);
  };
  const { protocols = [], subject } = channel;
  const url = addressAfter(channel.url, after);
  let socket: Awaited<ReturnType<typeof open>> | undefined;
  try {
    socket = await open({ url, token: token?.token, protocols, subject, signal, onMessage: receive });
  } catch (error) {
    if (token && error instanceof ApiError && error.status === 401) tokens?.forget(token.token);
    throw error;
  }
  const refusal = channel.refusalOf?.(socket.protocol);
  if (refusal) {
    socket.close();
    throw refusal;
  }
  heard = watch(socket, watchdog);
  // An error may come before this line.
  if (failure) socket.close();
  if (channel.request) socket.send(JSON.stringify(channel.request));
  channel.questions?.attach(socket);
  const { closed } = socket;
  return {
    untilDue: (stop) => life.untilDue(socket, stop),
    firstMessage,
    closed: closed.then(() => failure),
    isConfirmed: () => isConfirmed,
    close: () => socket.close(),
  };
}

/** How an open socket is watched, in ms. */
export interface WatchdogTimes {
  /** After so long without a message a ping is sent. */
  readonly pingAfterMs: number;
  /** A socket that brings nothing for so long after a ping is dead. */
  readonly pongWithinMs: number;
}

const ping = JSON.stringify({ action: 'ping' });

/**
 * Closes a socket that is open but dead: a lost network, a laptop that slept. The service sends a heartbeat only every four
 * minutes; a ping is answered at once.
 * @returns a function to be called at each message
 */
function watch(socket: Socket, { pingAfterMs, pongWithinMs }: WatchdogTimes) {
  let timer: ReturnType<typeof setTimeout>;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      socket.send(ping);
      timer = setTimeout(() => socket.close(), pongWithinMs);
    }, pingAfterMs);
  };
  heard();
  void socket.closed.then(() => clearTimeout(timer));
  return heard;
}
