import { createRequire } from 'node:module';
import { deserialize } from 'node:v8';

/**
 * Program `node first-call <bundle> <event>`: loads a bundle, makes the first call, and prints a {@link FirstCall} as its last
 * line. The event is in the format of `v8.serialize`, in Base64.
 */
const [file = '', event = ''] = process.argv.slice(2);
const context = { getRemainingTimeInMillis: () => 10_000 };
const load = createRequire(file);

/** Times in milliseconds. */
export interface FirstCall {
  /** Processor time, of the user and of the system. */
  readonly processor: number;
  readonly elapsed: number;
  readonly statusCode: number;
}

interface Bundle {
  readonly handler: (event: unknown, context: unknown) => Promise<{ statusCode: number }>;
}

async function firstCall() {
  const parsed: unknown = deserialize(Buffer.from(event, 'base64'));
  const [begin, before] = [performance.now(), process.cpuUsage()];
  const { handler } = load(file) as Bundle;
  const { statusCode } = await handler(parsed, context);
  const [elapsed, { user, system }] = [performance.now() - begin, process.cpuUsage(before)];
  console.log(JSON.stringify({ processor: (user + system) / 1000, elapsed, statusCode } satisfies FirstCall));
  process.exit();
}

void firstCall();
