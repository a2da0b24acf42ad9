import { Failure } from '../command-line/errors';

/** Collects how to undo what has been created, in case a later step fails. */
export class Rollback {
  readonly #steps: { readonly what: string; readonly undo: () => Promise<unknown> }[] = [];

  /** @param what name for the operator, who must delete it manually if undoing fails too */
  add(what: string, undo: () => Promise<unknown>): void {
    this.#steps.push({ what, undo });
  }

  /**
   * Undoes everything that was created.
   * @param reason of the failure, one line
   * @returns the error for the operator
   */
  async run(reason: string): Promise<Failure> {
    if (this.#steps.length === 0) return new Failure(reason);
    const outcomes = await Promise.allSettled(this.#steps.map(({ undo }) => undo()));
    const left = this.#steps.filter((_, index) => outcomes[index]?.status === 'rejected').map(({ what }) => what);
    if (left.length > 0) return new Failure(`${reason}; could not roll back, delete manually: ${left.join(', ')}`);
    return new Failure(`${reason}; everything created so far was rolled back`);
  }
}

/** `Promise.all` that waits until all have settled, so that nothing is created any more during a rollback. */
export async function allSettled<T extends readonly unknown[] | []>(
  tasks: T,
): Promise<{ -readonly [Each in keyof T]: Awaited<T[Each]> }> {
  await Promise.allSettled(tasks);
  return Promise.all(tasks);
}
