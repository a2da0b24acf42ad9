import { readOptions } from './command-line/read-options';
import { UsageError } from './command-line/errors';
import { runDemo } from './demo/run-demo';

/** What `npm run demo -- --help` prints. */
const help = `Shows the whole service in 30 seconds, against the stack that \`npm start\` runs here: an alarm rings at a place, the nearest of
three simulated drones is dispatched, its job is followed over MQTT and a WebSocket, and a viewer watches it by a share link. At the
alarm the drone is commanded to pause, then to return home, and the outcome of each command is printed. When it is back in its dock,
the link is revoked.

npm run demo
npm run demo -- [options]

  --real-time   the drone flies at its own pace, which takes about two minutes
  --help
`;

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
