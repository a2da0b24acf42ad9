import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { commandToItem as commandItem, readOpenCommands } from '../../data/commands/commands';
import { readBusyDevices } from '../../data/jobs/busy-devices';
import { jobToItem as jobItem } from '../../data/jobs/job-item';
import { dynamodb, table } from '../../data/store/dynamodb';
import { firstIdAt } from '../../data/store/new-id';
import { acme, id, rival, sampleCommand, sampleJob } from '../domain/fixtures/samples';
import { meterConsumption } from './support/recorded-calls';
import type { Measured, Measurement } from './support/figure';
import { useStorage } from './support/storage';

const FEW_JOBS = 10;
const JOBS = 10_000;
const COMMANDS = 9000;
const MAX_MORE_UNITS = 20;
const MAX_UNITS = 200;
const MAX_MS = 1000;
/** Most items of a BatchWriteItem (DynamoDB API reference). */
const IN_BATCH = 25;

const now = new Date();
const idOf = (kind: 'job' | 'command', organisation: string, secondsAgo: number, number: number) => {
  const at = new Date(now.getTime() - secondsAgo * 1000).toISOString();
  return `${firstIdAt(kind, organisation, at)}${String(number).padStart(16, '0')}`;
};

/**
 * What it costs to find the open jobs that name a device among all, and the open commands of a device among those that
 * have ended.
 */
export const openItems: Measurement = async () => {
  await useStorage();
  for (const [organisation, count] of [
    [acme, FEW_JOBS],
    [rival, JOBS],
  ] as const)
    await putAll('jobs', count, (number) => {
      const jobId = idOf('job', organisation, 3600, number);
      return jobItem(organisation, sampleJob({ jobId, status: 'QUEUED', deviceId: undefined }));
    });
  const parameters = { note: 'x'.repeat(8000) };
  await putAll('commands', COMMANDS, (number) => {
    const commandId = idOf('command', acme, 600, number);
    return commandItem(sampleCommand({ commandId, sequence: number, status: 'DONE', parameters }), undefined);
  });
  // What a batch consumes it does not count.
  const meter = meterConsumption();
  return [await ofJobs(meter), ...(await ofCommands(meter))];
};

type Meter = ReturnType<typeof meterConsumption>;

async function ofJobs(meter: Meter): Promise<Measured> {
  const unitsOf = async (organisation: string) => {
    await readBusyDevices(organisation, now.toISOString());
    return meter.read().units;
  };
  const few = await unitsOf(acme);
  const many = await unitsOf(rival);
  const more = many - few;
  return {
    figure: `read units of a dispatch among ${JOBS} open jobs more than among ${FEW_JOBS}`,
    measured: more.toFixed(1),
    mustBe: `at most ${MAX_MORE_UNITS}`,
    ok: more <= MAX_MORE_UNITS,
  };
}

async function ofCommands(meter: Meter): Promise<Measured[]> {
  const begin = performance.now();
  await readOpenCommands(id('device'), now);
  const time = performance.now() - begin;
  const { units } = meter.read();
  const what = `the open commands of a device after ${COMMANDS} of 8 kB`;
  return [
    {
      figure: `${what}: read units`,
      measured: units.toFixed(1),
      mustBe: `at most ${MAX_UNITS}`,
      ok: units <= MAX_UNITS,
    },
    { figure: `${what}: time`, measured: `${time.toFixed(0)} ms`, mustBe: `at most ${MAX_MS} ms`, ok: time <= MAX_MS },
  ];
}

async function putAll(name: 'jobs' | 'commands', count: number, item: (number: number) => object): Promise<void> {
  for (let first = 0; first < count; first += IN_BATCH) {
    const numbers = Array.from({ length: Math.min(IN_BATCH, count - first) }, (_, index) => first + index);
    const puts = numbers.map((number) => ({ PutRequest: { Item: { ...item(number) } } }));
    await dynamodb.send(new BatchWriteCommand({ RequestItems: { [table(name)]: puts } }));
  }
}
