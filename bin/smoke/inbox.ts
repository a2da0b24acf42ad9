import { EventEmitter, once } from 'node:events';
import { Unexpected } from './errors';

export type Message = Readonly<Record<string, unknown>>;

/** The messages received over one connection, in order. */
export class Inbox {
  readonly messages: Message[] = [];
  readonly #changes = new EventEmitter();
  #ended = false;

  /** Adds a message; one that is not a JSON object is kept as `{text}`. */
  readonly add = (text: string): void => {
    this.messages.push(parse(text));
    this.#changes.emit('news');
  };

  /** Marks the connection as closed: no more messages come. */
  end(): void {
    this.#ended = true;
    this.#changes.emit('news');
  }

  /**
   * Waits for the first message that matches, which may have come already.
   * @param expected describes it, for people
   * @throws Unexpected with what came instead, when the signal aborts or the connection has ended
   */
  async first(expected: string, matches: (message: Message) => boolean, signal: AbortSignal): Promise<Message> {
    for (;;) {
      const found = this.messages.find(matches);
      if (found) return found;
      if (this.#ended) throw new Unexpected(expected, `the end of the connection after ${this.#summary()}`);
      await once(this.#changes, 'news', { signal }).catch(() => {
        throw new Unexpected(expected, `${this.#summary()} in time`);
      });
    }
  }

  #summary(): string {
    const last = this.messages.at(-1);
    return last ? `${this.messages.length} messages, last ${JSON.stringify(last)}` : 'no message';
  }
}

function parse(text: string): Message {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Message;
  } catch {
    // Kept as text.
  }
  return { text };
}
