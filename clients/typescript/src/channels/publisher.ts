import { sleep, untilAborted } from '../abort.ts';
import { waitBefore } from '../backoff.ts';
import { ApiError, ConnectionError } from '../errors.ts';
import type { Socket } from '../sockets/socket.ts';
import type { ChannelSettings } from './channel.ts';
import { refusalOfMessage, type ErrorMessage } from './error-message.ts';
import { partsOf } from './message-parts.ts';
import { isTemporary } from './temporary.ts';

const SUBJECT = 'Publishing telemetry';

/** The service's answer to a message that was published. */
type Answer =
  | { readonly type: 'published'; readonly accepted: number; readonly id: number }
  | (ErrorMessage & { readonly id?: number });

interface OpenSocketUntil {
  readonly socket: Socket;
  /** When a new token is due, Unix ms. */
  readonly replaceAt: number;
}

/** Publishes samples over one connection, which is opened when it is needed and again after it was lost. */
export class TelemetryPublisher {
  readonly #answers = new Map<number, (answer: Answer | ConnectionError) => void>();
  readonly #closing = new AbortController();
  #connection: Promise<OpenSocketUntil> | undefined;
  #lastId = 0;

  /** @param url of the telemetry endpoint */
  constructor(
    private readonly url: string,
    private readonly settings: ChannelSettings,
  ) {}

  /**
   * Publishes samples, in parts that fit into a frame.
   * @returns how many were accepted
   * @throws ApiError, ConnectionError, the reason of the signal
   */
  async publish(samples: readonly object[], signal?: AbortSignal): Promise<number> {
    let accepted = 0;
    for (const part of partsOf(samples)) accepted += await this.#publishPart(part, signal);
    return accepted;
  }

  close(): void {
    this.#closing.abort(new ConnectionError('interrupted', `${SUBJECT} was ended: the client is closed.`));
    this.#drop();
  }

  async #publishPart(telemetry: readonly object[], signal: AbortSignal | undefined): Promise<number> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#ask(telemetry, signal).catch((error: unknown) => {
        const isRefusedToken = error instanceof ApiError && error.status === 401 && attempt === 1;
        if (attempt > this.settings.maxRetries || !(isTemporary(error, false) || isRefusedToken)) throw error;
        return undefined;
      });
      if (answer !== undefined) return answer;
      await sleep(waitBefore(attempt), signal);
    }
  }

  /** Sends one message and waits for its answer. */
  async #ask(telemetry: readonly object[], signal: AbortSignal | undefined): Promise<number> {
    const { socket } = await untilAborted(this.#open(), signal);
    const id = ++this.#lastId;
    try {
      const answered = new Promise<Answer | ConnectionError>((resolve) => this.#answers.set(id, resolve));
      socket.send(JSON.stringify({ action: 'publish', id, telemetry }));
      const stop = new AbortController();
      const late = sleep(this.settings.answerWithinMs, stop.signal).then(() => brokenConnection());
      late.catch(() => undefined);
      const answer = await untilAborted(Promise.race([answered, late]), signal).finally(() => stop.abort());
      if (answer instanceof ConnectionError) {
        this.#drop();
        throw answer;
      }
      if (answer.type === 'error') throw refusalOfMessage(SUBJECT, answer);
      return answer.accepted;
    } finally {
      this.#answers.delete(id);
    }
  }

  /** The open connection; a new one when there is none or its token is about to end. */
  async #open(): Promise<OpenSocketUntil> {
    const open = await this.#connection;
    if (open && Date.now() < open.replaceAt) return open;
    if (open) this.#drop();
    this.#connection ??= this.#connect();
    return this.#connection.catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
  }

  async #connect(): Promise<OpenSocketUntil> {
    const { open, tokens } = this.settings;
    const { signal } = this.#closing;
    const token = await tokens?.get(signal);
    const request = { url: this.url, token: token?.token, subject: SUBJECT, signal };
    const onMessage = (text: string) => {
      const answer = JSON.parse(text) as Answer;
      if (answer.id !== undefined) this.#answers.get(answer.id)?.(answer);
    };
    const socket = await open({ ...request, onMessage }).catch((error: unknown) => {
      if (token && error instanceof ApiError && error.status === 401) tokens?.forget(token.token);
      throw error;
    });
    const connection = { socket, replaceAt: token?.renewAt ?? Infinity };
    void socket.closed.then(() => this.#lost(connection));
    return connection;
  }

  #lost(connection: OpenSocketUntil): void {
    void this.#connection?.then((current) => {
      if (current !== connection) return;
      this.#connection = undefined;
      for (const answer of this.#answers.values()) answer(brokenConnection());
    });
  }

  #drop(): void {
    void this.#connection?.then(
      ({ socket }) => socket.close(),
      () => undefined,
    );
    this.#connection = undefined;
  }
}

const brokenConnection = () =>
  new ConnectionError(
    'interrupted',
    `${SUBJECT} got no answer: the connection broke. Try again, and check the network.`,
  );
