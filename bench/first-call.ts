import { createRequire } from 'node:module';
import { deserialize } from 'node:v8';

/**
 * Program `node first-call <bundle> <event>`: loads a bundle, makes the first call, and prints as its last line the total
 * time in milliseconds and the status code. The event is in the format of `v8.serialize`, in Base64.
 */
const [file = '', event = ''] = process.argv.slice(2);
const context = { getRemainingTimeInMillis: () => 10_000 };
const load = createRequire(file);

interface Bundle {
  readonly handler: (event: unknown, context: unknown) => Promise<{ statusCode: number }>;
}

async function firstCall() {
  const parsed: unknown = deserialize(Buffer.from(event, 'base64'));
  const begin = performance.now();
  const { handler } = load(file) as Bundle;
  const { statusCode } = await handler(parsed, context);
  const ms = performance.now() - begin;
  console.log(JSON.stringify({ ms, statusCode }));
  process.exit();
}

void firstCall();
