import { reasonOf } from './errors';

/** Undoes one thing that a step created. @throws Error with the reason when it fails */
export type CleanUpAction = (signal: AbortSignal) => Promise<unknown>;

/** What the steps have created and must be removed at the end, whatever happens in between. */
export class CleanUp {
  readonly #actions = new Map<string, CleanUpAction>();

  /** @param what name for people and for `remove`; replaces an earlier action of the same name */
  add(what: string, action: CleanUpAction): void {
    this.#actions.set(what, action);
  }

  /** Nothing is left to undo: it was deleted, or never existed. */
  remove(what: string): void {
    this.#actions.delete(what);
  }

  /**
   * Runs all actions, the last added first.
   * @returns what could not be undone, and why
   */
  async run(signal: AbortSignal): Promise<readonly string[]> {
    const failures: string[] = [];
    for (const [what, action] of [...this.#actions].reverse()) {
      try {
        await action(signal);
        this.#actions.delete(what);
      } catch (error) {
        failures.push(`${what}: ${reasonOf(error)}`);
      }
    }
    return failures;
  }
}
