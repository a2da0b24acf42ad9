import { reasonOf, UsageError } from '../command-line/errors';
import type { Terminal } from '../command-line/terminal';

/** A command's result, as JSON and as text. */
export interface Report {
  readonly json: unknown;
  readonly text: string;
  /** What could not be done, each in one line: the command fails, after its result is printed. */
  readonly failures?: readonly string[];
}

/** What a command line leads to: a text such as help, or a command's result. */
export type Outcome = { readonly help: string } | { readonly report: Report; readonly asJson: boolean | undefined };

/**
 * Runs a program. Standard output is the result only; steps, warnings and errors are on standard error.
 * @param name of the program, which begins each line of an error
 * @returns exit code: 0 done, 1 failed, 2 invalid command line
 */
export async function runProgram(name: string, terminal: Terminal, run: () => Promise<Outcome>): Promise<number> {
  try {
    const outcome = await run();
    if ('help' in outcome) {
      terminal.print(outcome.help);
      return 0;
    }
    const { json, text, failures = [] } = outcome.report;
    terminal.print(`${outcome.asJson ? JSON.stringify(json) : text}\n`);
    for (const failure of failures) terminal.printError(`${name}: ${failure}\n`);
    return failures.length > 0 ? 1 : 0;
  } catch (error) {
    terminal.printError(`${name}: ${reasonOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}
