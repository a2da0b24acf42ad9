import { EventEmitter, once } from 'node:events';
import { Unexpected } from './unexpected';

export type Message = Readonly<Record<string, unknown>>;

/** The messages that came over one connection, in order. */
export class Inbox {
  readonly messages: Message[] = [];
  readonly #news = new EventEmitter();
  #ended = false;

  /** Takes a message as it came; what is no JSON object is kept as `{text}`. */
  readonly hear = (text: string): void => {
    this.messages.push(read(text));
    this.#news.emit('news');
  };

  /** No more will come. */
  end(): void {
    this.#ended = true;
    this.#news.emit('news');
  }

  /**
   * Waits for the first message that fits, which may have come already.
   * @param expected says which, for people
   * @throws Unexpected with what came instead, when the signal aborts or the connection has ended
   */
  async first(expected: string, fits: (message: Message) => boolean, signal: AbortSignal): Promise<Message> {
    for (;;) {
      const found = this.messages.find(fits);
      if (found) return found;
      if (this.#ended) throw new Unexpected(expected, `the end of the connection after ${this.#heard()}`);
      await once(this.#news, 'news', { signal }).catch(() => {
        throw new Unexpected(expected, `${this.#heard()} in time`);
      });
    }
  }

  #heard(): string {
    const last = this.messages.at(-1);
    return last ? `${this.messages.length} messages, at last ${JSON.stringify(last)}` : 'no message';
  }
}

function read(text: string): Message {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Message;
  } catch {
    // Kept as text.
  }
  return { text };
}
