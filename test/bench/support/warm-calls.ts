import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * Program `node warm-calls <bundle>`, with an IPC channel: calls the bundle's handler as often as each {@link Calls} says, one
 * call after another as Lambda does, and answers with {@link Spent}.
 */
const [file = ''] = process.argv.slice(2);

/** A number of calls with the same event, which must answer with the status. */
export interface Calls {
  readonly event: unknown;
  readonly status: number;
  readonly count: number;
}

/** What the calls took. */
export interface Spent {
  /** Processor time of a call, in microseconds. */
  readonly callMicroseconds: number;
  /** Processor time to load the bundle, in microseconds. */
  readonly loadMicroseconds: number;
  /** Largest resident memory so far, in megabytes (2^20 bytes, as Lambda counts). */
  readonly peakMegabytes: number;
}

interface Bundle {
  readonly handler: (event: unknown, context: unknown) => Promise<{ statusCode: number; body: string }>;
}

const processorTime = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return user + system;
};

/** Of this program: `process.resourceUsage()` has that of the parent if it is more. Linux only. */
const peakMegabytes = (): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;

const beforeLoading = process.cpuUsage();
const { handler } = createRequire(file)(file) as Bundle;
const loadMicroseconds = processorTime(beforeLoading);

async function make({ event, status, count }: Calls): Promise<Spent> {
  // Lambda parses each event anew, and adapters change it.
  const events = Array.from({ length: count }, () => structuredClone(event));
  const begin = process.cpuUsage();
  for (const each of events) {
    const { statusCode, body } = await handler(each, { getRemainingTimeInMillis: () => 10_000 });
    if (statusCode !== status) throw new Error(`${file} answered ${statusCode}: ${body}`);
  }
  const callMicroseconds = processorTime(begin) / count;
  return { callMicroseconds, loadMicroseconds, peakMegabytes: peakMegabytes() };
}

process.on('message', (calls: Calls) => void make(calls).then((spent) => process.send?.(spent)));
process.on('disconnect', () => process.exit());
