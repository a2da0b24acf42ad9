import { createRequire } from 'node:module';

/**
 * Program `node warm-calls <bundle>`, with an IPC channel: calls the bundle's handler as often as each {@link Calls} says, one
 * call after another as Lambda does, and answers with the processor time of a call in microseconds.
 */
const [file = ''] = process.argv.slice(2);

/** A number of calls with the same event, which must answer with the status. */
export interface Calls {
  readonly event: unknown;
  readonly status: number;
  readonly count: number;
}

interface Bundle {
  readonly handler: (event: unknown, context: unknown) => Promise<{ statusCode: number; body: string }>;
}

const { handler } = createRequire(file)(file) as Bundle;

async function processorTime({ event, status, count }: Calls): Promise<number> {
  // Lambda parses each event anew, and adapters change it.
  const events = Array.from({ length: count }, () => structuredClone(event));
  const begin = process.cpuUsage();
  for (const each of events) {
    const { statusCode, body } = await handler(each, { getRemainingTimeInMillis: () => 10_000 });
    if (statusCode !== status) throw new Error(`${file} answered ${statusCode}: ${body}`);
  }
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / count;
}

process.on('message', (calls: Calls) => void processorTime(calls).then((microseconds) => process.send?.(microseconds)));
process.on('disconnect', () => process.exit());
