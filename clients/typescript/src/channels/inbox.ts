/**
 * A queue between a source of messages and one reader. Messages that arrived before the end or before an error are read first,
 * so none is lost.
 */
export class Inbox<Message> {
  readonly #waiting: Message[] = [];
  #end: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;

  add(message: Message): void {
    if (this.#end) return;
    this.#waiting.push(message);
    this.#wake?.();
  }

  /** Ends the queue; with an error, the reader gets it after the last message. Only the first call counts. */
  end(failure: { readonly error?: unknown } = {}): void {
    this.#end ??= failure;
    this.#wake?.();
  }

  async *read(): AsyncGenerator<Message, void, undefined> {
    for (;;) {
      const message = this.#waiting.shift();
      if (message !== undefined) yield message;
      else if (!this.#end) await new Promise<void>((resolve) => (this.#wake = resolve));
      else if ('error' in this.#end) throw this.#end.error;
      else return;
    }
  }
}
