import { ApiError, refusalOfMessage, type ErrorMessage } from '../errors.ts';
import type { TokenSource } from '../http/token-source.ts';
import type { CommandStatusMessage } from '../types.ts';
import type { Questions } from './questions.ts';
import type { Gap, ReceivedMessages, SequencedMessage } from './received.ts';
import { SocketLife, type OpenSocket, type Socket } from './socket.ts';

/** What all channels of a client share. */
export interface ChannelSettings {
  readonly open: OpenSocket;
  /** Undefined for a viewer of a share, who needs no token. */
  readonly tokens: TokenSource | undefined;
  readonly watchdog: WatchdogTimes;
  /** Attempts before the first connection. Later, a lost channel is reconnected until its caller ends it. */
  readonly maxRetries: number;
  /** How long a message waits for its answer. */
  readonly answerWithinMs: number;
}

/** A channel to follow. */
export interface Channel {
  /** `wss://…` with path and query. */
  readonly url: string;
  /** What is followed, for error messages; without identifiers. */
  readonly subject: string;
  readonly protocols?: readonly string[];
  /** Why the subprotocol that the service selected means a refusal; undefined when it means none. */
  readonly refusalOf?: (protocol: string) => Error | undefined;
  /** Type of the messages to deliver: others, which a later service may send, are passed over. Without it, all are delivered. */
  readonly type?: string;
  /** Message to send on each new connection. */
  readonly request?: object;
  /** What is asked over each connection. */
  readonly questions?: Questions;
  /** Whether a message is the last one. */
  readonly isLast: (message: SequencedMessage) => boolean;
}

/** What a caller may want to know of a channel beside its messages. */
export interface FollowOptions {
  /** Ends the iteration, which then throws the signal's reason. A `break` ends it too, without an error. */
  readonly signal?: AbortSignal | undefined;
  /** Is told when the connection is lost and will be made again. */
  readonly onReconnect?: ((why: Error | undefined) => void) | undefined;
  /** Is told when changes were missed while the connection was lost. */
  readonly onGap?: ((gap: Gap) => void) | undefined;
}

/** What a caller may want of a status channel. */
export interface StatusFollowOptions extends FollowOptions {
  /**
   * `cursor` of the last message that the caller has received, before its program was started again: begins with what was missed
   * since then, marked `replayed`, instead of a snapshot.
   */
  readonly after?: string | undefined;
}

/** What a caller may want of a channel of devices in flight. */
export interface FlightFollowOptions extends StatusFollowOptions {
  /** Is told what becomes of commands, each change once. They are not among the messages of the iteration. */
  readonly onCommand?: ((message: CommandStatusMessage) => void) | undefined;
}

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
