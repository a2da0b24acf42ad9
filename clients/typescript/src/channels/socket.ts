import { ConnectionError } from '../errors.ts';
import type { CurrentToken, TokenSource } from '../http/token-source.ts';
import { sleep } from '../waiting.ts';

/** A handshake of a browser has failed, which does not say why: the service may have refused it. */
export class UnexplainedFailure extends ConnectionError {}

/** How a WebSocket is opened. */
export interface SocketRequest {
  /** `wss://…` with path and query, without a token. */
  readonly url: string;
  /** Access token; none for a viewer, whose query has a share code. */
  readonly token?: string | undefined;
  /** Subprotocols to offer. */
  readonly protocols?: readonly string[];
  /** What is opened, for error messages; without identifiers. */
  readonly subject: string;
  /** Ends the handshake. */
  readonly signal: AbortSignal;
  /** Gets the text of each message, from the first one. */
  readonly onMessage: (text: string) => void;
}

/** An open WebSocket. */
export interface Socket {
  /** The subprotocol that the service has selected; empty without one. */
  readonly protocol: string;
  /** Does nothing once the socket is closed. */
  send(text: string): void;
  /** Closes, in a moment even if the other side does not answer. */
  close(): void;
  /** Resolves when the socket has closed, for whatever reason. */
  readonly closed: Promise<void>;
}

/**
 * Opens a WebSocket.
 * @throws ApiError when the handshake is refused with a status, ConnectionError without an answer, the reason of the signal
 */
export type OpenSocket = (request: SocketRequest) => Promise<Socket>;

/** Limit of a handshake, in ms. */
export const HANDSHAKE_TIMEOUT_MS = 15_000;

/** API Gateway closes a connection after two hours: it is replaced before, in ms. */
const REPLACE_AFTER_MS = 110 * 60_000;

/** Timers may fire so much too early, in ms: the old token would still count as good. */
const EARLY_MS = 5;

/** No other message of a socket has this `id`. */
const RENEWAL = 'renewal';

/** The answer to a new token. */
interface Answer {
  readonly type: string;
  readonly id?: unknown;
  readonly code?: unknown;
  /** The token does not allow what was subscribed to. */
  readonly subscriptionsEnded?: unknown;
}

/** With what a socket was opened. */
interface Access {
  readonly token: CurrentToken;
  readonly tokens: TokenSource;
  /** How long a new token waits for its answer. */
  readonly answerWithinMs: number;
}

/** How long an open socket lasts: it goes on with new tokens, until its time ends. */
export class SocketLife {
  readonly #replaceAt = Date.now() + REPLACE_AFTER_MS;
  #token: CurrentToken | undefined;
  #settle: (answer: Answer) => void = () => undefined;
  #pending: Promise<boolean> | undefined;

  /** @param access undefined for a viewer of a share, who needs no token */
  constructor(private readonly access: Access | undefined) {
    this.#token = access?.token;
  }

  /** When a new token is due, or another socket; Unix ms. */
  get dueAt(): number {
    return Math.min(this.#token?.renewAt ?? Infinity, this.#replaceAt);
  }

  /** Whether a message is the answer to a new token. */
  take(message: Answer): boolean {
    if (message.id !== RENEWAL) return false;
    this.#settle(message);
    return true;
  }

  /** Sends new tokens when they are due. Resolves when the socket is to be replaced. @throws the reason of the signal */
  async untilDue(socket: Socket, signal: AbortSignal): Promise<void> {
    do await sleep(Math.max(0, this.dueAt - Date.now()) + EARLY_MS, signal);
    while (await this.goesOn(socket));
  }

  /**
   * Whether the socket may be used further: with a new token if one is due.
   * @returns false when it is to be replaced: its time ends, there is no new token, or the service does not take it
   */
  async goesOn(socket: Socket): Promise<boolean> {
    if (Date.now() < this.dueAt) return true;
    const { access } = this;
    if (!access || Date.now() >= Math.min(this.#replaceAt, Number(this.#token?.expiresAt))) return false;
    this.#pending ??= this.#renew(socket, access).finally(() => (this.#pending = undefined));
    return this.#pending;
  }

  async #renew(socket: Socket, { tokens, answerWithinMs }: Access): Promise<boolean> {
    // Whoever opens the next socket gets the error.
    const token = await tokens.get().catch(() => undefined);
    if (!token) return false;
    if (token.token !== this.#token?.token) {
      const limitMs = Math.min(answerWithinMs, Number(this.#token?.expiresAt) - Date.now());
      const answer = await this.#ask(socket, token.token, limitMs);
      if (answer?.code === 'unauthorized') tokens.forget(token.token);
      if (answer?.type !== 'authenticated' || answer.subscriptionsEnded === true) return false;
    }
    this.#token = token;
    return Date.now() < token.renewAt;
  }

  /** @returns undefined without an answer */
  async #ask(socket: Socket, token: string, limitMs: number): Promise<Answer | undefined> {
    const stop = new AbortController();
    const late = sleep(Math.max(0, limitMs), stop.signal).catch(() => undefined);
    const answered = new Promise<Answer>((settle) => (this.#settle = settle));
    socket.send(JSON.stringify({ action: 'authenticate', token, id: RENEWAL }));
    const answer = await Promise.race([answered, socket.closed, late]);
    stop.abort();
    return answer ?? undefined;
  }
}
