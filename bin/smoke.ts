import { run } from './smoke/run';

const stopping = new AbortController();
// npm sends the signals on that the terminal has sent to both: a second one must not end the clean-up.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort('interrupted'));

void run(
  process.argv.slice(2),
  { print: (text) => process.stdout.write(text), printError: (text) => process.stderr.write(text) },
  { interrupted: stopping.signal },
).then((exitCode) => {
  process.exitCode = exitCode;
});
