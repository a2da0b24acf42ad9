import { readOptions } from './command-line/read-options';
import { UsageError } from './command-line/usage-error';
import { help } from './demo/help';
import { runDemo } from './demo/run-demo';

/** `npm run demo`. Exit code 0: it passed, 1: a step failed, 2: wrong options. */
async function main(args: readonly string[]): Promise<void> {
  const { 'real-time': realTime = false, help: wantsHelp } = readOptions(args, {
    'real-time': { type: 'boolean' },
    help: { type: 'boolean' },
  });
  if (wantsHelp) process.stdout.write(help);
  else await runDemo({ realTime, output: process.stdout });
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const reason = error instanceof Error ? error.message : String(error);
  const isUsage = error instanceof UsageError;
  console.error(isUsage ? `demo: ${reason}` : `\nThe demo failed: ${reason}`);
  process.exitCode = isUsage ? 2 : 1;
});
