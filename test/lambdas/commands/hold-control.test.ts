import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { handler as get } from '../../../lambdas/commands/get-control.lambda';
import { handler as hold } from '../../../lambdas/commands/hold-control.lambda';
import { handler as release } from '../../../lambdas/commands/release-control.lambda';
import { handler as sendCommand } from '../../../lambdas/commands/send-command.lambda';
import { storeOnEngine } from '../../data/fixtures/engine';
import { store } from '../../data/fixtures/store';
import { acme, id, rival, sampleJob } from '../../domain/fixtures/samples';
import { call } from '../fixtures/api-gateway';
import { commandedDevice, commandsIn, givenCommand } from '../fixtures/commands';
import '../fixtures/log';
import { shareItem } from '../fixtures/telemetry';
import { jobToItem } from '../../../data/jobs/jobs';
import { idFrom } from '../../../data/store/new-id';
import type { CommandRecord } from '../../../domain/commands/command-record';
import type { Job } from '../../../domain/jobs/job';
import { handler } from '../../../lambdas/commands/list-job-commands.lambda';
import { fleetKey } from '../../../data/fleet/fleet-key';

describe('Hold control', () => {
  const engine = storeOnEngine('fleet', 'jobs', 'requests', 'commands', 'shares');
  jest.setTimeout(60_000);

  const scopes = ['command:control', 'command:read'] as const;
  const ask = (handler: unknown, clientId: string, body?: object, deviceId = id('device')) =>
    call(handler, { scopes, clientId, path: { deviceId }, body }, 50_000);
  const command = async (clientId: string, name: string) => (await ask(sendCommand, clientId, { name })).status;
  const heldBy = (clientId: string, until: string) => ({
    error: 'held_by',
    details: [{ path: 'deviceId', message: `is held by ${clientId} until ${until}` }],
  });
  const headOf = () => engine.get('commands', { deviceId: id('device'), commandId: 'head' });
  /** A viewer's lease, whose share is in force unless it is not stored. */
  const byViewer = (until: string) => ({
    origin: 'share',
    heldBy: 'viewer-1',
    shareId: 'digest',
    shareCode: id('share'),
    until,
  });
  const givenHead = (head: object) => engine.put('commands', { deviceId: id('device'), commandId: 'head', ...head });

  const now = '2026-11-27T10:30:00.000Z';
  const until = '2026-11-27T10:31:00.000Z';
  beforeEach(async () => {
    jest.useFakeTimers({ now: new Date(now), doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout'] });
    await engine.put('fleet', commandedDevice());
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test('one client holds a device, and commands of another are 409, but for those that keep it from harm', async () => {
    const held = { success: true, control: { deviceId: id('device'), origin: 'partner', heldBy: 'client1', until } };
    expect(await ask(hold, 'client1')).toMatchObject({ status: 200, body: held });
    expect((await ask(get, 'client2')).body).toEqual(held);
    expect((await ask(sendCommand, 'client2', { name: 'TAKE_PHOTO' })).body).toEqual(heldBy('client1', until));
    expect(await commandsIn(engine)).toEqual([]);
    for (const name of ['PAUSE', 'RETURN_HOME', 'LAND']) expect(await command('client2', name)).toBe(202);
    // What has been commanded leaves the lease as it is.
    expect((await ask(get, 'client2')).body).toEqual(held);
    expect(await command('client1', 'RESUME')).toBe(202);
  });

  test('another client can neither take nor end it', async () => {
    await ask(hold, 'client1');
    for (const handler of [hold, release])
      expect(await ask(handler, 'client2')).toMatchObject({ status: 409, body: heldBy('client1', until) });
  });

  test('it lasts a minute, and another one each time that its holder renews it', async () => {
    await ask(hold, 'client1');
    jest.setSystemTime(new Date('2026-11-27T10:30:59.000Z'));
    expect((await ask(hold, 'client1')).body).toMatchObject({ control: { until: '2026-11-27T10:31:59.000Z' } });
    jest.setSystemTime(new Date('2026-11-27T10:31:58.999Z'));
    expect(await command('client2', 'RESUME')).toBe(409);
    jest.setSystemTime(new Date('2026-11-27T10:31:59.000Z'));
    expect((await ask(get, 'client2')).body).toEqual({ success: true, control: { deviceId: id('device') } });
    expect(await command('client2', 'RESUME')).toBe(202);
    expect((await ask(hold, 'client2')).status).toBe(200);
  });

  test('whoever gives it back leaves a device that nobody holds, also the second time', async () => {
    await ask(hold, 'client1');
    for (let times = 0; times < 2; times += 1) expect((await ask(release, 'client1')).status).toBe(200);
    expect(await command('client2', 'RESUME')).toBe(202);
  });

  test.each([
    ['takes', hold, { origin: 'partner', heldBy: 'client1' }],
    ['ends', release, undefined],
  ])('a client %s what a viewer holds, and commands meanwhile', async (_, handler, left) => {
    await givenHead({ sequence: 4, revision: 7, control: byViewer(until) });
    await engine.put('shares', shareItem());
    const { body } = await ask(get, 'client1');
    expect(body['control']).toEqual({
      deviceId: id('device'),
      origin: 'share',
      heldBy: 'viewer-1',
      shareId: 'digest',
      until,
    });
    expect(await command('client1', 'RESUME')).toBe(202);
    expect((await ask(handler, 'client1')).status).toBe(200);
    const head = await headOf();
    expect(head).toMatchObject({ sequence: 5, revision: 9, ...(left && { control: left }) });
    expect(head?.['control'] === undefined).toBe(left === undefined);
  });

  test('nobody is said to hold a device when the share has ended', async () => {
    await givenHead({ sequence: 4, revision: 7, control: byViewer(until) });
    expect((await ask(get, 'client1')).body).toEqual({ success: true, control: { deviceId: id('device') } });
  });

  test('a head of before is taken over, with its number', async () => {
    await givenHead({ sequence: 41 });
    expect((await ask(hold, 'client1')).status).toBe(200);
    expect(await headOf()).toMatchObject({ sequence: 41, revision: 1, control: { heldBy: 'client1' } });
    expect(await command('client1', 'PAUSE')).toBe(202);
    expect((await commandsIn(engine)).map(({ sequence }) => sequence)).toEqual([42]);
  });

  test('the first command of a device that was held before it has the number 1', async () => {
    await ask(hold, 'client1');
    expect(await command('client1', 'PAUSE')).toBe(202);
    expect((await commandsIn(engine)).map(({ sequence }) => sequence)).toEqual([1]);
  });

  test('of twenty clients that ask at once one holds the device', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(hold, `client${index}`)));
    const [holder, ...others] = answers.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    expect(await headOf()).toMatchObject({
      control: { heldBy: (holder?.body['control'] as { heldBy: string }).heldBy },
    });
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  });

  /** Lets something happen after the head of the device's commands is read for the first time. */
  function afterReading(act: () => Promise<unknown>): void {
    let isFirst = true;
    const key = { Key: { deviceId: id('device'), commandId: 'head' } };
    store.on(GetCommand, key).callsFake(async (input: object) => {
      const found = await engine.answers('GetCommand')(input);
      const happens = isFirst;
      isFirst = false;
      if (happens) await act();
      return found;
    });
  }

  test.each([
    ['has no command yet', undefined],
    ['has a head of before', { sequence: 7 }],
    ['had another holder', { sequence: 7, revision: 9 }],
  ])('a lease taken while a command is decided keeps it away from a device that %s', async (_, head) => {
    if (head) await givenHead(head);
    afterReading(() => ask(hold, 'client1'));
    expect((await ask(sendCommand, 'client2', { name: 'TAKE_PHOTO' })).body).toEqual(heldBy('client1', until));
    expect(await commandsIn(engine)).toEqual([]);
  });

  test('a command taken while a lease is decided stays, with its number', async () => {
    afterReading(() => command('client2', 'TAKE_PHOTO'));
    expect((await ask(hold, 'client1')).status).toBe(200);
    expect(await headOf()).toMatchObject({ sequence: 1, revision: 2, control: { heldBy: 'client1' } });
  });

  test('a command of a function of before, which knows no lease, is not lost', async () => {
    await givenHead({ sequence: 7, revision: 1 });
    afterReading(() => givenHead({ sequence: 8 }));
    expect(await command('client1', 'TAKE_PHOTO')).toBe(202);
    expect((await commandsIn(engine)).map(({ sequence }) => sequence)).toEqual([9]);
  });

  test.each([
    ['an unknown device', id('device', acme, '01jd0000000000000000000009'), 404, { error: 'Resource not found' }],
    [
      "another organisation's device",
      id('device', rival),
      403,
      { error: 'Forbidden', details: [{ path: 'deviceId', message: "is not your organisation's" }] },
    ],
  ])('%s is refused, and nothing is stored', async (_, deviceId, status, expected) => {
    for (const handler of [hold, release, get]) {
      const answer = await ask(handler, 'client1', undefined, deviceId);
      expect({ status: answer.status, body: answer.body }).toEqual({ status, body: expected });
    }
    expect(await engine.all('commands')).toEqual([]);
  });
});

describe('List job commands', () => {
  const engine = storeOnEngine('fleet', 'jobs', 'commands');
  jest.setTimeout(60_000);

  const createdAt = '2026-11-27T10:00:00.000Z';
  const endedAt = '2026-11-27T11:00:00.000Z';
  const hour = 3_600_000;
  const other = id('job', acme, '01jd0000000000000000000009');
  const [second = '', third = ''] = ['1', '2'].map((last) => id('device', acme, `01jd000000000000000000000${last}`));

  const givenJob = (change: Partial<Job> = {}) =>
    engine.put('jobs', jobToItem(acme, sampleJob({ createdAt, updatedAt: createdAt, ...change })));
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
});
