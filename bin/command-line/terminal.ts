import { createInterface } from 'node:readline';

/** Streams of a command line, and the person at them if there is one. */
export interface Terminal {
  /** Writes to standard output. */
  print(text: string): void;
  /** Writes to standard error. */
  printError(text: string): void;
  /** Characters in a line of standard output; undefined when it is no terminal. */
  readonly columns?: number | undefined;
  /** Characters in a line of standard error; undefined when it is no terminal. */
  readonly errorColumns?: number | undefined;
  /** Asks on standard error. @returns the line typed, empty when it was ended; undefined when nobody can answer */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
}

/** The streams of this process. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  return {
    print: (text) => stdout.write(text),
    printError: (text) => stderr.write(text),
    columns: widthOf(stdout),
    errorColumns: widthOf(stderr),
    ask: stdin.isTTY && stderr.isTTY ? ask : undefined,
  };
}

/** Some terminals, such as those of CI services, don't know their width and say 0. */
const widthOf = ({ isTTY, columns }: NodeJS.WriteStream) => (isTTY ? columns || undefined : undefined);

/** The question is on standard error, since standard output is the result. Ctrl-C and Ctrl-D are an empty answer. */
const ask = (question: string): Promise<string> =>
  new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    // Without an answer the cursor is still behind the question.
    const end = () => {
      process.stderr.write('\n');
      resolve('');
    };
    lines.once('close', end);
    lines.question(question, (answer) => {
      lines.off('close', end);
      lines.close();
      resolve(answer);
    });
  });

/** Control characters, Unicode line breaks and bidirectional controls, which a terminal interprets. */
const terminalControls = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A name without control characters: `\u{1b}` instead of an escape. */
export const printable = (text: string): string =>
  text.replace(terminalControls, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
