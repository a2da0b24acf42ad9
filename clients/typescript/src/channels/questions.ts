import { ConnectionError, refusalOfMessage, type ErrorMessage } from '../errors.ts';
import { sleep, untilAborted } from '../waiting.ts';
import type { Socket } from './socket.ts';

/** The answer to a message: it has its `id`. */
interface Answer {
  readonly type: string;
  readonly id?: unknown;
}

interface Question {
  readonly subject: string;
  readonly over: Socket;
  readonly settle: (answer: Answer | ConnectionError) => void;
}

const interrupted = (subject: string, why: string) => new ConnectionError('interrupted', `${subject} ${why}`);

/**
 * Messages to a channel that is being followed, over its present connection, each with its answer. None is sent twice: a
 * command that was not answered may have been executed.
 */
export class Questions {
  readonly #asked = new Map<number, Question>();
  #lastId = 0;
  #socket: Socket | undefined;
  #hasEnded = false;
  #changed: () => void = () => undefined;
  #change = this.#nextChange();

  /** @param answerWithinMs how long a message waits for a connection and its answer */
  constructor(private readonly answerWithinMs: number) {}

  /** Sends further messages over this socket. */
  attach(socket: Socket): void {
    this.#socket = socket;
    this.#tell();
    void socket.closed.then(() => {
      if (this.#socket === socket) this.#socket = undefined;
      for (const { over, subject, settle } of this.#asked.values())
        if (over === socket)
          settle(interrupted(subject, 'got no answer: the connection broke. It may have been executed.'));
    });
  }

  /** Whether a message is the answer to one of these; it is given to who asked. */
  take(message: Answer): boolean {
    const question = typeof message.id === 'number' ? this.#asked.get(message.id) : undefined;
    question?.settle(message);
    return question !== undefined;
  }

  /** The channel is no longer followed. */
  end(): void {
    this.#hasEnded = true;
    this.#tell();
  }

  /**
   * Sends a message and waits for its answer.
   * @param subject what is asked for, for error messages
   * @throws ApiError when the service refuses it, ConnectionError, the reason of the signal
   */
  async ask<Reply extends Answer>(subject: string, message: object, signal?: AbortSignal): Promise<Reply> {
    const stop = new AbortController();
    const late = sleep(this.answerWithinMs, stop.signal).then(() => 'late' as const);
    late.catch(() => undefined);
    const id = ++this.#lastId;
    try {
      const over = await untilAborted(this.#connected(subject, late), signal);
      const answered = new Promise<Answer | ConnectionError>((settle) =>
        this.#asked.set(id, { subject, over, settle }),
      );
      over.send(JSON.stringify({ ...message, id }));
      const answer = await untilAborted(Promise.race([answered, late]), signal);
      if (answer === 'late') throw interrupted(subject, 'got no answer in time. It may have been executed.');
      if (answer instanceof ConnectionError) throw answer;
      if (answer.type === 'error') throw refusalOfMessage(subject, answer as unknown as ErrorMessage);
      // The service answers each action by one type of message.
      return answer as Reply;
    } finally {
      this.#asked.delete(id);
      stop.abort();
    }
  }

  /** The present connection; waits for one that is being made. */
  async #connected(subject: string, late: Promise<'late'>): Promise<Socket> {
    for (;;) {
      if (this.#hasEnded) throw interrupted(subject, 'is not possible: the channel has ended.');
      if (this.#socket) return this.#socket;
      if ((await Promise.race([this.#change, late])) === 'late')
        throw interrupted(subject, 'was not sent: there is no connection. There is one while the messages are read.');
    }
  }

  #tell(): void {
    this.#changed();
    this.#change = this.#nextChange();
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => (this.#changed = resolve));
  }
}
