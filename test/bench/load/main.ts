import { UsageError } from '../../../bin/command-line/errors';
import { loadChanges } from './changes';
import { help, readLoad, type Load, type Scenario } from './command-line';
import { errorShare, linesOf, type Outcome } from './outcome';
import { loadRest } from './rest';
import { findTarget, type Target } from './target';

const run: Readonly<Record<Scenario, (target: Target, load: Load) => Promise<Outcome>>> = {
  rest: (target, { rate = 50, seconds }) => loadRest(target, rate, seconds),
  wss: (target, { rate = 5, seconds, connections }) => loadChanges('wss', target, rate, seconds, connections),
  mqtt: (target, { rate = 5, seconds, connections }) => loadChanges('mqtt', target, rate, seconds, connections),
};

/** `npm run load`: see `help`. */
async function main(args: readonly string[]): Promise<void> {
  const load = readLoad(args);
  if (load.help) {
    process.stdout.write(help);
    return;
  }
  const target = findTarget(load.credentials);
  for (const scenario of load.scenarios) {
    console.error(`Load: ${scenario}`);
    const outcome = await run[scenario](target, load);
    console.log(linesOf(outcome).join('\n'));
    if (errorShare(outcome) > load.maxErrors) process.exitCode = 1;
  }
}

// Ends with the handlers of the exit, also when npm sends on a signal that the terminal has sent to both.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(`load: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
