import { run } from './smoke/run';

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort('interrupted'));

void run(
  process.argv.slice(2),
  { print: (text) => process.stdout.write(text), printError: (text) => process.stderr.write(text) },
  { interrupted: stopping.signal },
).then((exitCode) => {
  process.exitCode = exitCode;
});
