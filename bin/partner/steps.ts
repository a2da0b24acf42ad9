import { reasonOf } from '../command-line/reason';
import type { Session } from '../deployment/session';

/** Steps of which each is tried, whatever became of those before it. */
export class Steps {
  readonly #session: Pick<Session, 'progress'>;
  readonly #failures: string[] = [];

  constructor(session: Pick<Session, 'progress'>) {
    this.#session = session;
  }

  /** What failed, and why: each in one line. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  /** @param what the step does, such as `closing sockets` @returns its result, or undefined when it failed */
  async run<Result>(what: string, step: () => Promise<Result>): Promise<Result | undefined> {
    this.#session.progress(what);
    try {
      return await step();
    } catch (error) {
      this.#failures.push(`${what} failed: ${reasonOf(error)}`);
      return undefined;
    }
  }
}
