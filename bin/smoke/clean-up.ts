import { reasonOf } from './unexpected';

/** Takes back one thing that a step has made. @throws Error that says why it could not */
export type TakeBack = (signal: AbortSignal) => Promise<unknown>;

/** What has been made and is to be gone in the end, whatever happens in between. */
export class CleanUp {
  readonly #left = new Map<string, TakeBack>();

  /** @param what names it to people, and for `forget`; a second one of the name takes the place of the first */
  remember(what: string, takeBack: TakeBack): void {
    this.#left.set(what, takeBack);
  }

  /** It is gone, or was never there. */
  forget(what: string): void {
    this.#left.delete(what);
  }

  /**
   * Takes back everything, the last first.
   * @returns what could not be taken back, and why
   */
  async all(signal: AbortSignal): Promise<readonly string[]> {
    const failures: string[] = [];
    for (const [what, takeBack] of [...this.#left].reverse()) {
      try {
        await takeBack(signal);
        this.#left.delete(what);
      } catch (error) {
        failures.push(`${what}: ${reasonOf(error)}`);
      }
    }
    return failures;
  }
}
