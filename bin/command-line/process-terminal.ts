import { createInterface } from 'node:readline';
import type { Terminal } from './terminal';

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
