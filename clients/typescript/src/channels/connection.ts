import { ApiError } from '../errors.ts';
import { refusalOfMessage, type ErrorMessage } from './error-message.ts';
import type { Channel, ChannelSettings } from './channel.ts';
import type { SequencedMessage } from './received.ts';
import { watch } from './watchdog.ts';

/** Answers and signs of life, which are no messages about a resource. */
const SERVICE_MESSAGES = ['heartbeat', 'pong', 'subscribed'];

/** API Gateway closes a connection after two hours: it is replaced before, in ms. */
const REPLACE_AFTER_MS = 110 * 60_000;

/** An open connection to a channel. */
export interface ChannelConnection {
  /** When it is to be replaced, Unix ms: its token ends, or its time. */
  readonly replaceAt: number;
  /** Resolves with the first message about the resource, or never. */
  readonly firstMessage: Promise<void>;
  /** Resolves when it has closed: with the error message of the service that closed it, if there was one. */
  readonly closed: Promise<Error | undefined>;
  /** Whether a message about the resource has arrived. */
  readonly isConfirmed: () => boolean;
  close(): void;
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

/**
 * Connects to a channel, with a token that is valid for a while.
 * @param onMessage gets every message about the resource
 * @throws ApiError, ConnectionError, the reason of the signal
 */
export async function connect(
  channel: Channel,
  { open, tokens, watchdog }: ChannelSettings,
  onMessage: (message: SequencedMessage) => void,
  signal: AbortSignal,
): Promise<ChannelConnection> {
  let isConfirmed = false;
  let confirm: (() => void) | undefined;
  let heard: (() => void) | undefined = undefined;
  let failure: Error | undefined;
  const firstMessage = new Promise<void>((resolve) => (confirm = resolve));

  const token = await tokens?.get(signal);
  const receive = (text: string) => {
    heard?.();
    const message = parseMessage(text);
    if (channel.questions?.take(message)) return;
    if (message.type === 'error') {
      failure = refusalOfMessage(channel.subject, message as ErrorMessage);
      return socket?.close();
    }
    if (SERVICE_MESSAGES.includes(message.type)) return;
    isConfirmed = true;
    confirm?.();
    onMessage(message);
  };
  const { url, protocols = [], subject } = channel;
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
    replaceAt: Math.min(token?.renewAt ?? Infinity, Date.now() + REPLACE_AFTER_MS),
    firstMessage,
    closed: closed.then(() => failure),
    isConfirmed: () => isConfirmed,
    close: () => socket.close(),
  };
}
