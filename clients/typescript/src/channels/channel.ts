import type { TokenSource } from '../http/token-source.ts';
import type { OpenSocket } from '../socket.ts';
import type { Questions } from './questions.ts';
import type { CommandStatusMessage } from '../types.ts';
import type { Gap, SequencedMessage } from './received.ts';
import type { WatchdogTimes } from './connection.ts';

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
