import { sleep, untilAborted } from '../abort.ts';
import { waitBefore } from '../backoff.ts';
import { ApiError, ConnectionError } from '../errors.ts';
import type { Socket } from '../sockets/socket.ts';
import type { ChannelSettings } from './channel.ts';
import { refusalOfMessage, type ErrorMessage } from './error-message.ts';
import { partsOf } from './message-parts.ts';
import { SocketLife } from './socket-life.ts';
import { isTemporary } from './temporary.ts';

const SUBJECT = 'Publishing telemetry';

/** The service's answer to a message that was published. */
type Answer =
  | { readonly type: 'published'; readonly accepted: number; readonly id: number }
  | (ErrorMessage & { readonly id?: number });

interface LivingSocket {
  readonly socket: Socket;
  readonly life: SocketLife;
}

/** Publishes samples over one connection, which is opened when it is needed and again after it was lost. */
export class TelemetryPublisher {
  readonly #answers = new Map<number, (answer: Answer | ConnectionError) => void>();
  readonly #closing = new AbortController();
  #connection: Promise<LivingSocket> | undefined;
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

  /** The open connection; a new one when there is none, or when it can't go on. */
  async #open(): Promise<LivingSocket> {
    const connection = this.#connection;
    const open = await connection;
    if (open && (await open.life.goesOn(open.socket))) return open;
    // Another call may have opened the next one meanwhile.
    if (open && this.#connection === connection) this.#drop();
    this.#connection ??= this.#connect();
    return this.#connection.catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
  }

  async #connect(): Promise<LivingSocket> {
    const { open, tokens, answerWithinMs } = this.settings;
    const { signal } = this.#closing;
    const token = await tokens?.get(signal);
    const request = { url: this.url, token: token?.token, subject: SUBJECT, signal };
    const life = new SocketLife(token && tokens ? { token, tokens, answerWithinMs } : undefined);
    const onMessage = (text: string) => {
      const answer = JSON.parse(text) as Answer;
      if (life.take(answer)) return;
      if (answer.id !== undefined) this.#answers.get(answer.id)?.(answer);
    };
    const socket = await open({ ...request, onMessage }).catch((error: unknown) => {
      if (token && error instanceof ApiError && error.status === 401) tokens?.forget(token.token);
      throw error;
    });
    const connection = { socket, life };
    void socket.closed.then(() => this.#lost(connection));
    return connection;
  }

  #lost(connection: LivingSocket): void {
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
