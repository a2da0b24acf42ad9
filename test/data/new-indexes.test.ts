/** Indexes that an update has added: the answer is the same while DynamoDB fills them in, and no ended item is read for it. */
import { QueryCommand, type QueryCommandInput, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import { commandToItem as commandItem, readOpenCommands } from '../../data/commands/commands';
import { changeCommand } from '../../data/commands/command-changes';
import { readBusyDevices, readFlownJobs } from '../../data/jobs/busy-devices';
import { jobToItem as jobItem } from '../../data/jobs/jobs';
import { firstIdAt } from '../../data/store/new-id';
import { commandStatuses, isEnded, laterStatuses, openCommandStatuses } from '../../domain/commands/command-lifecycle';
import { jobStatuses, openStatuses } from '../../domain/jobs/job-lifecycle';
import { acme, id, sampleCommand, sampleJob } from '../domain/fixtures/samples';
import { storeOnEngine } from './fixtures/engine';
import { store } from './fixtures/store';

const engine = storeOnEngine('jobs', 'commands');
const now = new Date('2026-11-27T10:30:00.000Z');
/** An identifier of this many seconds ago. */
const aged = (kind: 'job' | 'command', seconds: number, number = 0) => {
  const at = firstIdAt(kind, acme, new Date(now.getTime() - seconds * 1000).toISOString());
  return `${at}${String(number).padStart(16, '0')}`;
};
const device = (number: number) => id('device', acme, String(number).padStart(26, '0'));

const jobsOfEachStatus = () =>
  jobStatuses.flatMap((status, number) => [
    jobItem(acme, sampleJob({ jobId: aged('job', 7200, number), status, deviceId: device(number) })),
    jobItem(acme, sampleJob({ jobId: aged('job', 7200, 50 + number), status, deviceId: undefined })),
  ]);
const commandsOfEachStatus = () =>
  commandStatuses.map((status, number) =>
    commandItem(sampleCommand({ commandId: aged('command', 300, number), sequence: number + 1, status }), undefined),
  );
/** More than are read from the table since the index may lack them. */
const laterCommands = (count: number, parameters?: { note: string }) =>
  Array.from({ length: count }, (_, number) =>
    commandItem(
      sampleCommand({ commandId: aged('command', 60, number), sequence: 100 + number, status: 'DONE', parameters }),
      undefined,
    ),
  );

interface Reading {
  readonly index: string;
  readonly given: () => Promise<unknown>;
  readonly read: () => Promise<readonly string[]>;
  readonly answer: readonly string[];
}
const openCommands = openCommandStatuses.map((status) => {
  const number = commandStatuses.findIndex((each) => each === status);
  return aged('command', 300, number);
});
const openDevices = openStatuses.map((status) => device(jobStatuses.findIndex((each) => each === status)));
const flownNumber = jobStatuses.indexOf('IN_PROGRESS');
const readings: Readonly<Record<string, Reading>> = {
  readBusyDevices: {
    index: 'with-device',
    given: () => engine.put('jobs', ...jobsOfEachStatus()),
    read: async () => [...(await readBusyDevices(acme, now.toISOString()))],
    answer: openDevices,
  },
  readFlownJobs: {
    index: 'with-device',
    given: () => engine.put('jobs', ...jobsOfEachStatus()),
    read: async () => (await readFlownJobs(acme, device(flownNumber))).map(({ jobId }) => jobId),
    answer: [aged('job', 7200, flownNumber)],
  },
  readOpenCommands: {
    index: 'open',
    given: () => engine.put('commands', ...commandsOfEachStatus(), ...laterCommands(80)),
    read: async () => (await readOpenCommands(id('device'), now)).map(({ commandId }) => commandId),
    answer: openCommands,
  },
};

const error = (name: string, message: string) => Object.assign(new Error(message), { name });
/** What DynamoDB answers while an index is not ready (first seen by others, in their logs of `Query`). */
const notReady = {
  'is filled in': ['ValidationException', 'Cannot read from backfilling global secondary index: '],
  'is not there yet': ['ValidationException', 'The table does not have the specified index: '],
  'may not be read yet': ['AccessDeniedException', 'not authorized to perform: dynamodb:Query on resource: …/index/'],
} as const;

describe.each(Object.entries(readings))('%s', (_, { index, given, read, answer }) => {
  /** The store, whose index answers a query with an error. */
  const failing = (fault: Error) => {
    const answers = engine.answers('QueryCommand');
    store.on(QueryCommand).callsFake((input: QueryCommandInput) => {
      return input.IndexName === index ? Promise.reject(fault) : answers(input);
    });
  };

  test('finds what is open by the index', async () => {
    await given();
    expect([...(await read())].sort()).toEqual([...answer].sort());
  });

  test.each(Object.entries(notReady))('finds the same while the index %s', async (__, [name, message]) => {
    await given();
    failing(error(name, `${message}${index}`));
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => {});
    expect([...(await read())].sort()).toEqual([...answer].sort());
    expect(warn).toHaveBeenCalledWith('an index can not be read yet', index);
    warn.mockRestore();
  });

  test.each([
    error('ValidationException', 'Invalid KeyConditionExpression: Syntax error'),
    error('AccessDeniedException', 'not authorized to perform: dynamodb:Query on resource: …/table/jobs'),
    error('ThrottlingException', `Throughput exceeds the current capacity of index ${index}`),
  ])('passes on another error: $message', async (fault) => {
    failing(fault);
    await expect(read()).rejects.toBe(fault);
  });
});

test.each(laterStatuses)('a command that becomes %s is in the index as long as it is open', async (status) => {
  const command = sampleCommand({ commandId: aged('command', 300) });
  await engine.put('commands', commandItem(command, undefined));
  await changeCommand(command, { status, at: now.toISOString(), changeId: 'event-1' });
  const item = await engine.get('commands', command);
  expect(item).toMatchObject({ status });
  expect(item?.['openOn']).toBe(isEnded(status) ? undefined : command.deviceId);
});

describe('what is read, in units', () => {
  /** What all queries cost, by their own account. */
  async function unitsOf(run: () => Promise<unknown>): Promise<number> {
    const answers = engine.answers('QueryCommand');
    let units = 0;
    store.on(QueryCommand).callsFake(async (input: QueryCommandInput) => {
      const found = (await answers({ ...input, ReturnConsumedCapacity: 'TOTAL' })) as QueryCommandOutput;
      units += found.ConsumedCapacity?.CapacityUnits ?? 0;
      return found;
    });
    await run();
    return units;
  }

  test('a device whose 600 large commands have ended costs what 64 of them do', async () => {
    await engine.put('commands', ...commandsOfEachStatus(), ...laterCommands(600, { note: 'x'.repeat(8000) }));
    expect(await unitsOf(() => readOpenCommands(id('device'), now))).toBeLessThan(200);
  });

  test('jobs that name no device cost a dispatch nothing', async () => {
    await engine.put('jobs', ...jobsOfEachStatus());
    const few = await unitsOf(() => readBusyDevices(acme, now.toISOString()));
    const waiting = Array.from({ length: 400 }, (_, number) =>
      jobItem(acme, sampleJob({ jobId: aged('job', 3600, number), status: 'QUEUED', deviceId: undefined })),
    );
    await engine.put('jobs', ...waiting);
    expect(await unitsOf(() => readBusyDevices(acme, now.toISOString()))).toBe(few);
  });
});
