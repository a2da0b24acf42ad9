import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { bundle } from '../../../lib/functions/bundle';
import type { Appended, Appending } from './appender';
import type { Measured } from './figure';
import { useStorage } from './storage';

/** Three streams feed the log of an organisation: those of jobs, shares and the fleet. */
const STREAMS = 3;
/** Events of a second that one organisation must be able to have. */
const MIN_PER_SECOND = 50;
/**
 * Write units a second of a partition (DynamoDB developer guide, "Best practices for designing and using partition keys
 * effectively").
 */
const PARTITION_UNITS = 1000;
/** Write units of an event in the partition of its log: a batch is a transaction, which is charged twice. */
const unitsOf = (size: number) => (size === 1 ? 1 : 2);

/** How many batches of how many events each instance appends. */
const cases = [
  { instances: 1, batches: 300, size: 1 },
  { instances: STREAMS, batches: 100, size: 1 },
  { instances: 1, batches: 20, size: 99 },
  { instances: STREAMS, batches: 10, size: 99 },
] as const;

/** Runs an instance of the fan-out that appends to the log. */
async function runAppender(file: string, workerData: Appending): Promise<Appended> {
  const [appended] = (await once(new Worker(file, { workerData }), 'message')) as [Appended];
  return appended;
}

/**
 * How many events a second of one organisation the log takes, on this machine and by DynamoDB's limit of a partition.
 * @param folder of the bundled instance
 */
export async function logCeiling(folder: string): Promise<Measured[]> {
  await useStorage();
  process.env['EVENT_RETENTION_DAYS'] = '7';
  process.env['FLIGHT_RETENTION_DAYS'] = '90';
  bundle(['appender'], folder, 'test/bench/support');
  const file = join(folder, 'appender', 'index.js');
  const measured: Measured[] = [];
  for (const [index, { instances, batches, size }] of cases.entries()) {
    const appending = { organisation: `ceiling${index}`, batches, size };
    const ran = await Promise.all(Array.from({ length: instances }, () => runAppender(file, appending)));
    const seconds = (Math.max(...ran.map(({ end }) => end)) - Math.min(...ran.map(({ begin }) => begin))) / 1000;
    const perSecond = (instances * batches * size) / seconds;
    const allowed = PARTITION_UNITS / unitsOf(size);
    measured.push({
      figure: `events of one organisation, batches of ${size}, ${instances} at once`,
      measured: `${perSecond.toFixed(0)} a second on this machine; ${allowed} by the partition of its log`,
      mustBe: `at least ${MIN_PER_SECOND} a second`,
      ok: Math.min(perSecond, allowed) >= MIN_PER_SECOND,
    });
  }
  return measured;
}
