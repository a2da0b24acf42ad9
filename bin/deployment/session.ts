import { createProgress, type Progress } from '../command-line/progress';
import type { Terminal } from '../command-line/terminal';
import { findDeployment, type Deployment, type Whereabouts } from './deployment';

/** What a command can do beside returning its result: find its deployment, and talk to the person at the terminal. */
export class Session {
  readonly #program: string;
  readonly #flags: Whereabouts;
  readonly #terminal: Terminal;
  readonly #progress: Progress | undefined;

  /** @param program its name, which begins what it says on standard error */
  constructor(program: string, flags: Whereabouts, terminal: Terminal) {
    this.#program = program;
    this.#flags = flags;
    this.#terminal = terminal;
    const { errorColumns: columns } = terminal;
    if (columns === undefined) return;
    this.#progress = createProgress({ write: (text) => terminal.printError(text), isTTY: true, columns });
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
    this.#progress?.waitFor(step);
  }

  /** Deletes the line of the last step. Called before anything else is printed. */
  endProgress(): void {
    this.#progress?.end();
  }

  /** Prints a line on standard error that does not end the command. */
  warn(text: string): void {
    this.endProgress();
    this.#terminal.printError(`${this.#program}: ${text}\n`);
  }
}
