import type { SequencedMessage } from './received.ts';

/** As many messages as the service sends again to a client that resumes. */
const MAX_REMEMBERED = 1000;

/**
 * What a caller has been told of commands. They have no part in the cursor of a channel: their changes may come before those of
 * a job or a device whose cursors are lower, so after a reconnection some come again.
 */
export class ReceivedCommands {
  /** The last sequence of each command, the oldest command first. */
  readonly #sequences = new Map<string, number>();

  /** Whether a message about a command is no repeat; remembers it. */
  isNew({ commandId = '', sequence = 0 }: SequencedMessage): boolean {
    const last = this.#sequences.get(commandId);
    if (last !== undefined && sequence <= last) return false;
    this.#sequences.delete(commandId);
    this.#sequences.set(commandId, sequence);
    const [oldest] = this.#sequences.keys();
    if (this.#sequences.size > MAX_REMEMBERED && oldest !== undefined) this.#sequences.delete(oldest);
    return true;
  }
}
