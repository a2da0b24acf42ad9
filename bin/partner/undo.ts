import { Failure } from './command-line';

/** Keeps in mind how to take back what has been made, for the case that the rest fails. */
export class Undo {
  readonly #steps: { readonly what: string; readonly takeBack: () => Promise<unknown> }[] = [];

  /** @param what names the thing made to an operator, who must delete it by hand if taking it back fails too */
  remember(what: string, takeBack: () => Promise<unknown>): void {
    this.#steps.push({ what, takeBack });
  }

  /**
   * Takes back everything that was made.
   * @param reason one line that says why
   * @returns what to tell the operator
   */
  async after(reason: string): Promise<Failure> {
    if (this.#steps.length === 0) return new Failure(reason);
    const outcomes = await Promise.allSettled(this.#steps.map(({ takeBack }) => takeBack()));
    const left = this.#steps.filter((_, index) => outcomes[index]?.status === 'rejected').map(({ what }) => what);
    if (left.length > 0) return new Failure(`${reason}; could not take back, delete by hand: ${left.join(', ')}`);
    return new Failure(`${reason}; everything made so far has been taken back`);
  }
}

/** `Promise.all`, which fails only when every one has settled: nothing may be made any more while it is taken back. */
export async function everyOne<T extends readonly unknown[] | []>(
  tasks: T,
): Promise<{ -readonly [Each in keyof T]: Awaited<T[Each]> }> {
  await Promise.allSettled(tasks);
  return Promise.all(tasks);
}
