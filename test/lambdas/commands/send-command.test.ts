import { createHash } from 'node:crypto';
import { QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import canonicalize from 'canonicalize';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { jobToItem } from '../../../data/jobs/jobs';
import type { CommandRecord } from '../../../domain/commands/command-record';
import type { Job } from '../../../domain/jobs/job';
import { isFlown, jobStatuses } from '../../../domain/jobs/job-lifecycle';
import { handler } from '../../../lambdas/commands/send-command.lambda';
import { storeOnEngine } from '../../data/fixtures/engine';
import { store } from '../../data/fixtures/store';
import { acme, id, rival, sampleCommand, sampleJob } from '../../domain/fixtures/samples';
import { call } from '../fixtures/api-gateway';
import { commandedDevice, commandsIn, givenCommand } from '../fixtures/commands';
import '../fixtures/log';

const engine = storeOnEngine('fleet', 'jobs', 'requests', 'commands');
jest.setTimeout(60_000);
const send = (body: object, deviceId = id('device'), headers: Record<string, string> = {}) =>
  call(handler, { scopes: ['command:control'] as const, path: { deviceId }, body, headers }, 50_000);
const stops = ['PAUSE', 'RETURN_HOME', 'LAND'];
const commandOf = ({ body }: { body: Record<string, unknown> }) => body['command'] as CommandRecord;

test('takes a command on, with its number, its deadlines and the job that the device flies', async () => {
  await engine.put('fleet', commandedDevice());
  const position = { type: 'Point', coordinates: [8.5, 1e-140] };
  const answer = await send({ name: 'GO_TO', position, height: 60 });
  expect(answer.status).toBe(202);
  const command = commandOf(answer);
  expect(command).toEqual({
    commandId: expect.stringMatching(/^command-acme0001-/) as string,
    deviceId: id('device'),
    deviceGroupId: id('group'),
    jobId: id('job'),
    name: 'GO_TO',
    parameters: { position, height: 60 },
    sequence: 1,
    status: 'REQUESTED',
    origin: 'partner',
    requestedBy: 'client1',
    requestedAt: expect.any(String) as string,
    startBefore: expect.any(String) as string,
    endBefore: expect.any(String) as string,
    version: 1,
  });
  const lastsFor = (until: string) => Date.parse(until) - Date.parse(command.requestedAt);
  expect([lastsFor(command.startBefore), lastsFor(command.endBefore)]).toEqual([10_000, 300_000]);
  expect(await commandsIn(engine)).toEqual([command]);
});

test('gives a command the time that it asks for, to begin and to end', async () => {
  await engine.put('fleet', commandedDevice());
  const { requestedAt, startBefore, endBefore } = commandOf(await send({ name: 'PAUSE', timeoutSeconds: 5 }));
  expect([startBefore, endBefore].map((until) => Date.parse(until) - Date.parse(requestedAt))).toEqual([5000, 5000]);
});

test('twenty at once have twenty numbers, in one order', async () => {
  await engine.put('fleet', commandedDevice());
  const answers = await Promise.all(Array.from({ length: 20 }, () => send({ name: 'TAKE_PHOTO' })));
  const accepted = answers.filter(({ status }) => status === 202).map((answer) => commandOf(answer).sequence);
  expect(accepted.length).toBeGreaterThan(0);
  expect(accepted.toSorted((one, other) => one - other)).toEqual(accepted.map((_, index) => index + 1));
  // The others gave up, and nothing is stored of them.
  expect(await commandsIn(engine)).toHaveLength(accepted.length);
  expect(answers.filter(({ status }) => status !== 202).every(({ status }) => status === 429)).toBe(true);
});

test.each(['PAUSE', 'RETURN_HOME', 'LAND'])('%s comes through among thirty others at once', async (name) => {
  await engine.put('fleet', commandedDevice());
  // As if the machine were not busy.
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  const others = Array.from({ length: 30 }, () => send({ name: 'TAKE_PHOTO' }));
  const stops = await Promise.all(Array.from({ length: 3 }, () => send({ name })));
  expect(stops.map(({ status }) => status)).toEqual([202, 202, 202]);
  await Promise.all(others);
  clock.mockRestore();
});

test('a repeat with the same key gets the first answer, and is no second command', async () => {
  await engine.put('fleet', commandedDevice());
  const key = { 'Idempotency-Key': 'c0ffee00-1234-4abc-8def-0123456789ab' };
  const [first, again] = [
    await send({ name: 'LAND' }, id('device'), key),
    await send({ name: 'LAND' }, id('device'), key),
  ];
  expect(again.body).toEqual(first.body);
  expect(await commandsIn(engine)).toHaveLength(1);
});

describe('one key, sent to several devices', () => {
  const key = { 'Idempotency-Key': 'c0ffee00-1234-4abc-8def-0123456789ab' };
  const devices = ['a', 'b', 'c'].map((last) => id('device', acme, `01jd000000000000000000000${last}`));
  beforeEach(() =>
    Promise.all(
      devices.map((deviceId) => engine.put('fleet', { ...commandedDevice(), ...fleetKey(acme, deviceId), deviceId })),
    ),
  );

  test('is a command to each of them, and a repeat to each gets its own', async () => {
    const sendToAll = async () => {
      const answers = [];
      for (const deviceId of devices) answers.push(await send({ name: 'RETURN_HOME' }, deviceId, key));
      return answers.map(commandOf);
    };
    const first = await sendToAll();
    expect(first.map(({ deviceId }) => deviceId)).toEqual(devices);
    expect(await sendToAll()).toEqual(first);
    expect(await commandsIn(engine)).toHaveLength(devices.length);
  });

  test('that was kept before keys were kept per device is the answer to its device only', async () => {
    const [device = '', ...others] = devices;
    const kept = sampleCommand({ deviceId: device, name: 'LAND' });
    await engine.put('requests', {
      id: `answer#client1#POST /v3/devices/{deviceId}/commands#${key['Idempotency-Key']}`,
      fingerprint: createHash('sha256')
        .update(canonicalize({ name: 'LAND' }) ?? '')
        .digest('base64'),
      reply: JSON.stringify({ success: true, command: kept }),
      ttl: 4e9,
    });
    expect(commandOf(await send({ name: 'LAND' }, device, key))).toEqual(kept);
    expect((await send({ name: 'RETURN_HOME' }, device, key)).status).toBe(400);
    for (const other of others) expect(commandOf(await send({ name: 'LAND' }, other, key)).deviceId).toBe(other);
    expect((await commandsIn(engine)).map(({ deviceId }) => deviceId)).toEqual(others);
  });
});

test.each([
  ['has landed', commandedDevice('LANDED'), { name: 'LAND' }, 202],
  ['has been removed', undefined, { name: 'LAND' }, 202],
  ['has been removed', undefined, { name: 'RETURN_HOME' }, 400],
])('a repeat of a key when the device %s since, by %j', async (_, device, body, status) => {
  await engine.put('fleet', commandedDevice());
  const key = { 'Idempotency-Key': 'c0ffee00-1234-4abc-8def-0123456789ab' };
  const first = await send({ name: 'LAND' }, id('device'), key);
  await engine.answers('DeleteCommand')({ TableName: 'fleet', Key: fleetKey(acme, id('device')) });
  if (device) await engine.put('fleet', device);
  const again = await send(body, id('device'), key);
  expect(again.status).toBe(status);
  expect(again.body).toEqual(
    status === 202
      ? first.body
      : expect.objectContaining({ details: [expect.objectContaining({ path: 'Idempotency-Key' })] }),
  );
  expect(await commandsIn(engine)).toHaveLength(1);
});

test.each([
  ['open', {}, 409],
  ['ended', { status: 'TIMED_OUT' }, 202],
] as const)('a return that has %s decides about what follows', async (_, change, status) => {
  await engine.put('fleet', commandedDevice('RETURNING'));
  const { commandId } = commandOf(await send({ name: 'RETURN_HOME' }));
  await givenCommand(engine, { commandId, name: 'RETURN_HOME', ...change });
  expect((await send({ name: 'TAKE_PHOTO' })).status).toBe(status);
  expect((await send({ name: 'PAUSE' })).status).toBe(202);
});

describe.each(stops)('%s that several send at once', (name) => {
  const key = (number: number) => ({
    'Idempotency-Key': `c0ffee00-1234-4abc-8def-${String(number).padStart(12, '0')}`,
  });

  const newest = async () => (await commandsIn(engine)).at(-1);
  /** Makes the newest command older, in ms. */
  async function passTime(ms: number): Promise<void> {
    const command = await newest();
    const head = await engine.get('commands', { deviceId: id('device'), commandId: 'head' });
    const requestedAt = new Date(Date.parse(command?.requestedAt ?? '') - ms).toISOString();
    await givenCommand(engine, { ...command, requestedAt });
    await engine.put('commands', { ...head, newest: { ...(head?.['newest'] as object), requestedAt } });
  }

  test('is one command, which is the answer to all forty', async () => {
    await engine.put('fleet', commandedDevice());
    const answers = await Promise.all(Array.from({ length: 40 }, () => send({ name })));
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(202));
    const stored = await commandsIn(engine);
    expect(stored).toHaveLength(1);
    expect(answers.map(commandOf)).toEqual(Array(40).fill(stored[0]));
    // Nobody loses to the head more than twice.
    expect(store.commandCalls(TransactWriteCommand).length).toBeLessThanOrEqual(3 * 40);
  });

  test('is the answer to a repeat of each key, also after its outcome', async () => {
    await engine.put('fleet', commandedDevice());
    const first = commandOf(await send({ name }, id('device'), key(1)));
    expect(commandOf(await send({ name }, id('device'), key(2)))).toEqual(first);
    await givenCommand(engine, { ...first, status: 'DONE' });
    for (const number of [1, 2]) expect(commandOf(await send({ name }, id('device'), key(number)))).toEqual(first);
    expect(await send({ name, timeoutSeconds: 9 }, id('device'), key(2))).toMatchObject({ status: 400 });
  });

  test.each<[string, () => Promise<unknown>, object]>([
    ['has an outcome', async () => givenCommand(engine, { ...(await newest()), status: 'DONE' }), {}],
    ['is two seconds old', () => passTime(2000), {}],
    ['was followed by another command', () => send({ name: 'RESUME' }), {}],
    ['was followed by another stop', () => send({ name: stops.find((other) => other !== name) }), {}],
    ['had another time to end', () => Promise.resolve(), { timeoutSeconds: 7 }],
  ])('is a command of its own when the one before %s', async (_, happens, change) => {
    await engine.put('fleet', commandedDevice());
    const first = commandOf(await send({ name }));
    await happens();
    const second = commandOf(await send({ name, ...change }));
    expect(second.commandId).not.toBe(first.commandId);
    expect(second.sequence).toBeGreaterThan(first.sequence);
  });
});

test('nothing but a stop is joined', async () => {
  await engine.put('fleet', commandedDevice());
  for (const name of ['TAKE_PHOTO', 'RESUME', 'x-drop']) {
    const [one, other] = [commandOf(await send({ name })), commandOf(await send({ name }))];
    expect(other.commandId).not.toBe(one.commandId);
  }
});

const conflict = (path: string, message: string) => ({ error: 'cannot_command', details: [{ path, message }] });

const begun = { status: 'IN_PROGRESS', deviceId: id('device') } as const;
const old = id('job', acme, '01jd0000000000000000000000');

describe.each(stops)('%s to a device that stood, as it reported last', (name) => {
  const newer = id('job', acme, '01jd0000000000000000000001');

  test.each<[string, readonly Partial<Job>[], string | undefined, string | undefined]>([
    ['it flies a job', [begun], undefined, id('job')],
    ['it flies a job of a day ago', [{ ...begun, jobId: old }], undefined, old],
    [
      'another job waits for it',
      [
        { ...begun, jobId: newer },
        { ...begun, jobId: old, status: 'QUEUED' },
      ],
      undefined,
      newer,
    ],
    ['nobody knows which of two jobs it flies', [begun, { ...begun, jobId: newer }], undefined, undefined],
    ['the request names the job that it is to fly', [{ ...begun, status: 'QUEUED' }], id('job'), id('job')],
  ])('comes through when %s', async (_, jobs, named, jobId) => {
    await engine.put('fleet', commandedDevice('DOCKED'));
    await engine.put('jobs', ...jobs.map((job) => jobToItem(acme, sampleJob(job))));
    const { jobId: filledIn, ...sent } = commandOf(await send({ name, ...(named && { jobId: named }) }));
    expect({ name: sent.name, jobId: filledIn }).toEqual({ name, jobId });
    expect((await send({ name: 'TAKE_PHOTO' })).status).toBe(409);
  });

  test.each<[string, Partial<Job>]>([
    ...jobStatuses
      .filter((status) => !isFlown(status))
      .map((status): [string, Partial<Job>] => [`of the device is ${status}`, { ...begun, status }]),
    ['is that of another device', { ...begun, deviceId: id('device', acme, '01jd0000000000000000000009') }],
  ])('is refused while a job %s', async (_, job) => {
    await engine.put('fleet', commandedDevice('DOCKED'));
    await engine.put('jobs', jobToItem(acme, sampleJob(job)));
    expect(await send({ name })).toMatchObject({ status: 409, body: { error: 'cannot_command' } });
  });

  test('costs no read of jobs for a device in flight', async () => {
    await engine.put('fleet', commandedDevice());
    expect((await send({ name })).status).toBe(202);
    expect(store.commandCalls(QueryCommand)).toEqual([]);
  });
});

test.each([
  ['a device on the ground', { name: 'PAUSE' }, undefined, 409, conflict('name', 'the device is on the ground')],
  [
    'an unknown device',
    { name: 'LAND' },
    id('device', acme, '01jd0000000000000000000009'),
    404,
    { error: 'Resource not found' },
  ],
  ['a text that is no device', { name: 'LAND' }, 'mine', 404, { error: 'Resource not found' }],
  [
    "another organisation's device",
    { name: 'LAND' },
    id('device', rival),
    403,
    { error: 'Forbidden', details: [{ path: 'deviceId', message: "is not your organisation's" }] },
  ],
  [
    'an unknown job',
    { name: 'LAND', jobId: id('job', acme, '01jd0000000000000000000009') },
    undefined,
    404,
    { error: 'Job not found' },
  ],
  ["another organisation's job", { name: 'LAND', jobId: id('job', rival) }, undefined, 404, { error: 'Job not found' }],
])('refuses a command to %s, and stores nothing', async (_, body, deviceId, status, expected) => {
  await engine.put('fleet', commandedDevice('DOCKED'));
  const answer = await send(body, deviceId);
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body: expected });
  expect(await commandsIn(engine)).toEqual([]);
});

test("another device's job is 409", async () => {
  await engine.put('fleet', commandedDevice());
  await engine.put('jobs', jobToItem(acme, sampleJob({ deviceId: id('device', acme, '01jd0000000000000000000009') })));
  expect((await send({ name: 'PAUSE', jobId: id('job') })).body).toEqual(
    conflict('jobId', 'is not flown by this device'),
  );
});

test('a device is told 600 commands a minute at most, and what keeps it from harm beyond that', async () => {
  jest.useFakeTimers({
    now: new Date('2026-11-27T10:30:10.000Z'),
    doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout'],
  });
  await engine.put('fleet', commandedDevice());
  const counted = { start: Date.parse('2026-11-27T10:30:00Z') / 1000, calls: 599 };
  await engine.put('commands', { deviceId: id('device'), commandId: 'head', sequence: 599, revision: 599, counted });
  const statuses: number[] = [];
  for (const name of ['TAKE_PHOTO', 'TAKE_PHOTO', 'PAUSE', 'TAKE_PHOTO', 'RETURN_HOME', 'LAND'])
    statuses.push((await send({ name })).status);
  jest.useRealTimers();
  expect(statuses).toEqual([202, 429, 202, 429, 202, 202]);
});
