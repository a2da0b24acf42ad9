import type { Terminal } from '../command-line/terminal';
import type { Flags } from './command-line';
import { findDeployment, type Deployment } from './deployment';

/** Moves to the start of the line and deletes it (ECMA-48: CR, EL). */
const CLEAR_LINE = '\r\u001b[K';

/** What a command can do beside returning its result: find its deployment, and talk to the person at the terminal. */
export class Session {
  readonly #flags: Flags;
  readonly #terminal: Terminal;
  #isDrawn = false;

  constructor(flags: Flags, terminal: Terminal) {
    this.#flags = flags;
    this.#terminal = terminal;
  }

  /** Characters in a line of standard output; undefined when it is no terminal. */
  get columns(): number | undefined {
    return this.#terminal.columns;
  }

  /** Asks a person. @returns the line typed; undefined when nobody can answer */
  get ask(): ((question: string) => Promise<string>) | undefined {
    const { ask } = this.#terminal;
    if (!ask) return undefined;
    return (question) => {
      this.endProgress();
      return ask(question);
    };
  }

  /** Finds the deployment that the flags name. @throws Failure when there is none */
  connect(): Promise<Deployment> {
    this.progress('reading the addresses of the deployment');
    return findDeployment(this.#flags);
  }

  /** Shows the step that runs now, in place of the last one; nothing unless standard error is a terminal. */
  progress(step: string): void {
    const { errorColumns } = this.#terminal;
    if (errorColumns === undefined) return;
    // A line that fills the terminal would wrap, and only its last part be deleted.
    this.#terminal.printError(`${CLEAR_LINE}${`${step} …`.slice(0, errorColumns - 1)}`);
    this.#isDrawn = true;
  }

  /** Deletes the line of the last step. Called before anything else is printed. */
  endProgress(): void {
    if (this.#isDrawn) this.#terminal.printError(CLEAR_LINE);
    this.#isDrawn = false;
  }

  /** Prints a line on standard error that does not end the command. */
  warn(text: string): void {
    this.endProgress();
    this.#terminal.printError(`partner: ${text}\n`);
  }
}
