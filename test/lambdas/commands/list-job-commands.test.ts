import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { toItem } from '../../../data/jobs/job-item';
import { idFrom } from '../../../data/store/new-id';
import type { CommandRecord } from '../../../domain/commands/command-record';
import type { Job } from '../../../domain/jobs/job';
import { handler } from '../../../lambdas/commands/list-job-commands.lambda';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { storeOnEngine } from '../../data/fixtures/engine';
import { store } from '../../data/fixtures/store';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { call } from '../fixtures/api-gateway';
import { commandedDevice, givenCommand } from '../fixtures/commands';
import '../fixtures/log';

const engine = storeOnEngine('fleet', 'jobs', 'commands');
jest.setTimeout(60_000);

const createdAt = '2026-11-27T10:00:00.000Z';
const endedAt = '2026-11-27T11:00:00.000Z';
const hour = 3_600_000;
const other = id('job', acme, '01jd0000000000000000000009');
const [second = '', third = ''] = ['1', '2'].map((last) => id('device', acme, `01jd000000000000000000000${last}`));

const givenJob = (change: Partial<Job> = {}) =>
  engine.put('jobs', toItem(acme, sampleJob({ createdAt, updatedAt: createdAt, ...change })));
const givenDevice = (deviceId: string, deviceGroupId = id('group')) =>
  engine.put('fleet', commandedDevice('WAYPOINT', { ...fleetKey(acme, deviceId), deviceId, deviceGroupId }));

let given = 0;
/** Stores a command of the job, requested so long after the job's creation, unless it is another's. @returns its id */
async function requested(afterMs: number, change: Partial<CommandRecord> = {}): Promise<string> {
  const at = new Date(Date.parse(createdAt) + afterMs).toISOString();
  const commandId = idFrom('command', acme, String((given += 1)), at);
  await givenCommand(engine, { commandId, ...change });
  return commandId;
}

/** The ids of the commands in the answer. */
async function list(): Promise<string[]> {
  const { status, body } = await call(handler, { scopes: ['command:read'], path: { jobId: id('job') } }, 50_000);
  const { commands = [], count } = body as { commands?: CommandRecord[]; count?: number };
  expect([status, count]).toEqual([200, commands.length]);
  return commands.map(({ commandId }) => commandId);
}

const queries = () => store.commandCalls(QueryCommand, { TableName: 'commands' });

test('lists the newest hundred of its device, newest first', async () => {
  await givenJob({ status: 'IN_PROGRESS', deviceId: id('device') });
  const all: string[] = [];
  for (let index = 0; index < 103; index++) {
    all.push(await requested(index * 1000));
    await requested(index * 1000 + 1, { jobId: other });
  }
  await requested(0, { deviceId: second });
  expect(await list()).toEqual(all.reverse().slice(0, 100));
});

test("finds them among pages of another job's, and reads no further than it needs", async () => {
  await givenJob({ status: 'IN_PROGRESS', deviceId: id('device') });
  const parameters = { text: 'x'.repeat(20_000) };
  for (let index = 0; index < 60; index++) await requested(index - 1000, { jobId: other, parameters });
  const all = [await requested(1000)];
  for (let index = 0; index < 130; index++) await requested(2000 + index, { jobId: other, parameters });
  all.unshift(await requested(3000));
  expect(await list()).toEqual(all);
  // 2.6 MB since the job was created, in pages of 1 MB.
  expect(queries()).toHaveLength(3);

  for (let index = 0; index < 100; index++) all.unshift(await requested(4000 + index, { parameters }));
  store.resetHistory();
  expect(await list()).toEqual(all.slice(0, 100));
  expect(queries()).toHaveLength(2);
});

test('reads 8 MB at most, from the newest on, however many others its device got since', async () => {
  await givenJob({ status: 'IN_PROGRESS', deviceId: id('device') });
  await requested(1000);
  for (let index = 0; index < 40; index++)
    await requested(2000 + index, { jobId: other, parameters: { text: 'x'.repeat(300_000) } });
  const newest = await requested(3000);
  expect(await list()).toEqual([newest]);
  expect(queries()).toHaveLength(8);
});

test('of a job without a device, lists those of the devices that are in its group', async () => {
  await givenJob({ status: 'IN_PROGRESS' });
  await engine.put('fleet', {
    ...fleetKey(acme, id('group')),
    kind: 'group',
    deviceGroupId: id('group'),
    name: 'North quarry',
    description: '',
  });
  await givenDevice(id('device'));
  await givenDevice(second);
  await givenDevice(third, id('group', acme, '01jd0000000000000000000009'));
  const found = [await requested(1000), await requested(2000, { deviceId: second }), await requested(3000)];
  await requested(4000, { deviceId: third });
  await requested(5000, { deviceId: id('device', acme, '01jd0000000000000000000003') });
  expect(await list()).toEqual(found.reverse());
});

test('of a job with a device that was removed since, lists those of the device', async () => {
  await givenJob({ status: 'FAILED', deviceId: second, updatedAt: endedAt });
  const command = await requested(1000, { deviceId: second });
  expect(await list()).toEqual([command]);
});

test('of a job that has ended, lists those of the day after it too', async () => {
  await givenJob({ status: 'COMPLETED', deviceId: id('device'), updatedAt: endedAt });
  const found = [await requested(hour - 1), await requested(24 * hour), await requested(25 * hour - 1)];
  await requested(25 * hour + 1);
  expect(await list()).toEqual(found.reverse());
});

test('of a job that has not ended, lists those of any time', async () => {
  await givenJob({ status: 'IN_PROGRESS', deviceId: id('device') });
  const found = [await requested(0), await requested(1000 * hour)];
  expect(await list()).toEqual(found.reverse());
});
