import type { Part } from './parts';
import type { SmokeContext } from './smoke-context';

/** One action of a partner with its expected outcome. */
export interface Step {
  readonly name: string;
  /** Skipped with `--without` of this part. */
  readonly part?: Part;
  /**
   * @returns a note to print when it passed
   * @throws Unexpected for another outcome, MissingPrerequisite when an earlier step or the client did not provide what it needs
   */
  readonly run: (context: SmokeContext) => Promise<string | undefined>;
}
