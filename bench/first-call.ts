import { createRequire } from 'node:module';

/**
 * A program of its own, `node first-call <bundle> <event>`: loads a bundle, makes the first call, and prints as its
 * last line how many milliseconds both took together, and the status that the function answered with.
 */
const [file = '', event = ''] = process.argv.slice(2);
const context = { getRemainingTimeInMillis: () => 10_000 };
const load = createRequire(file);

interface Bundle {
  readonly handler: (event: unknown, context: unknown) => Promise<{ statusCode: number }>;
}

async function firstCall() {
  const parsed: unknown = JSON.parse(event);
  const begin = performance.now();
  const { handler } = load(file) as Bundle;
  const { statusCode } = await handler(parsed, context);
  const ms = performance.now() - begin;
  console.log(JSON.stringify({ ms, statusCode }));
  process.exit();
}

void firstCall();
