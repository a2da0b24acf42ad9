import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { commandToItem } from '../../../data/commands/commands';
import type { CommandRecord } from '../../../domain/commands/command-record';
import type { Job } from '../../../domain/jobs/job';
import { commandStatuses, isEnded } from '../../../domain/commands/command-lifecycle';
import { handler as deliver } from '../../../lambdas/platform/consume-platform-events.lambda';
import { handler as onShareChange } from '../../../lambdas/platform/on-share-change.lambda';
import { handler as publish } from '../../../lambdas/platform/publish-platform-events.lambda';
import { storeOnEngine } from '../../data/fixtures/engine';
import { firstIdAt } from '../../../data/store/new-id';
import { jobRecord, record } from '../../data/fixtures/stream-record';
import { acme, id, sampleCommand, sampleJob } from '../../domain/fixtures/samples';
import { commandedDevice, commandsIn, givenCommand } from '../fixtures/commands';
import { logLines, written } from '../fixtures/log';
import { platformEvent } from '../fixtures/platform-events';
import { bus, queue, shareItem } from '../fixtures/telemetry';

const engine = storeOnEngine('commands', 'shares', 'partners', 'requests', 'fleet');
const done = { batchItemFailures: [] };
const begin = firstIdAt('command', acme, '2026-11-27T10:30:00.000Z');
const numbered = (sequence: number) => `${begin}000000000000000${sequence}`;
const command = (sequence: number, change: Partial<CommandRecord> = {}) =>
  sampleCommand({ commandId: numbered(sequence), sequence, ...change });

beforeEach(() => {
  process.env['RETRY_QUEUE_URL'] = 'https://sqs.test/retries';
  // A second after the request of the sample, and of its identifiers.
  jest.useFakeTimers({
    now: new Date('2026-11-27T10:30:01.000Z'),
    doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout'],
  });
});
afterEach(() => {
  jest.useRealTimers();
});

/** Lets the stream carry a new command, as it was stored. */
const streamed = (one: CommandRecord, shareCode?: string) => {
  const { deviceId, commandId } = one;
  return publish({
    Records: [record({ deviceId, commandId }, undefined, commandToItem(one, shareCode))],
  });
};
const published = () =>
  bus
    .commandCalls(PutEventsCommand)
    .flatMap(({ args: [{ input }] }) => input.Entries ?? [])
    .map(({ Detail = '' }) => JSON.parse(Detail) as Record<string, unknown>);
const queued = () =>
  queue.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => [input.MessageBody, input.DelaySeconds]);
const report = (detail: object, eventId = 'event-1') => {
  const known = { deviceId: id('device'), at: '2026-11-27T10:30:04.000Z' };
  const event = JSON.parse(platformEvent('control.outcome.reported', { ...known, ...detail })) as object;
  return deliver({ ...event, id: eventId });
};
const states = async () => (await commandsIn(engine)).map(({ status }) => status);

test('a new command is published with its number and deadlines, and its end is scheduled first', async () => {
  const one = command(1, { name: 'GO_TO', parameters: { height: 60 } });
  await givenCommand(engine, one);
  expect(await streamed(one)).toEqual(done);
  expect(published()).toEqual([
    {
      eventVersion: 1,
      requestId: numbered(1),
      commandId: numbered(1),
      organisationId: `org-${acme}`,
      origin: 'partner',
      deviceId: id('device'),
      jobId: id('job'),
      command: { name: 'GO_TO', height: 60 },
      sequence: 1,
      requestedAt: '2026-11-27T10:30:00.000Z',
      startBefore: '2026-11-27T10:30:10.000Z',
      endBefore: '2026-11-27T10:30:30.000Z',
    },
  ]);
  expect(queued()).toEqual([[JSON.stringify({ dueCommand: { deviceId: id('device'), commandId: numbered(1) } }), 29]]);
});

test('a command that comes twice in the stream is the same event', async () => {
  await givenCommand(engine, command(1));
  await streamed(command(1));
  await streamed(command(1));
  const [first, again] = published();
  expect(again).toEqual(first);
});

test('a command is retried while the bus does not accept it, and not once it could not be begun in time', async () => {
  bus.on(PutEventsCommand).rejects(new Error('throttled'));
  await givenCommand(engine, command(1));
  expect(await streamed(command(1))).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
  jest.setSystemTime(new Date('2026-11-27T10:30:10.000Z'));
  const attempts = published().length;
  expect(await streamed(command(1))).toEqual(done);
  expect(published()).toHaveLength(attempts);
  expect(await commandsIn(engine)).toMatchObject([{ status: 'REFUSED', reason: 'TOO_LATE', version: 2 }]);
});

test('a command whose time runs out while its deadline is set is not published', async () => {
  queue.on(SendMessageCommand).callsFake(() => {
    jest.setSystemTime(new Date('2026-11-27T10:30:10.000Z'));
    return {};
  });
  await givenCommand(engine, command(1));
  expect(await streamed(command(1))).toEqual(done);
  expect(published()).toEqual([]);
  expect(await commandsIn(engine)).toMatchObject([{ status: 'REFUSED', reason: 'TOO_LATE' }]);
});

test('a command without a deadline is not published', async () => {
  queue.on(SendMessageCommand).rejects(new Error('throttled'));
  await givenCommand(engine, command(1));
  expect(await streamed(command(1))).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
  expect(published()).toEqual([]);
});

test('a return ends what is pending before and after more ended commands than an answer of DynamoDB has', async () => {
  const large = { parameters: { note: 'x'.repeat(7000) } };
  const before = Array.from({ length: 200 }, (_, index) => ({
    commandId: `${begin}${String(index).padStart(16, '0')}`,
    sequence: index + 1,
    status: index === 0 ? ('DELIVERED' as const) : ('DONE' as const),
    ...large,
  }));
  for (const each of before) await givenCommand(engine, each);
  const last = { commandId: `${begin}${'0'.repeat(12)}0zzz`, sequence: 201, name: 'GO_TO' };
  const home = command(1, { commandId: `${begin}${'0'.repeat(12)}zzzz`, sequence: 202, name: 'RETURN_HOME' });
  await givenCommand(engine, last);
  await givenCommand(engine, home);
  expect(await streamed(home)).toEqual(done);
  const after = await commandsIn(engine);
  expect(after[0]).toMatchObject({ status: 'SUPERSEDED' });
  expect(after.slice(-2)).toMatchObject([
    { name: 'GO_TO', status: 'SUPERSEDED', supersededBy: home.commandId },
    { name: 'RETURN_HOME', status: 'REQUESTED' },
  ]);
});

test.each(['DELIVERED', 'SUPERSEDED', 'REFUSED', 'TIMED_OUT'] as const)(
  'one that is %s by then is not published',
  async (status) => {
    await givenCommand(engine, command(1, { status }));
    expect(await streamed(command(1))).toEqual(done);
    expect(published()).toEqual([]);
  },
);

test.each([
  ['RETURN_HOME', ['DONE', 'SUPERSEDED', 'SUPERSEDED', 'REQUESTED', 'REQUESTED']],
  ['LAND', ['DONE', 'SUPERSEDED', 'SUPERSEDED', 'REQUESTED', 'REQUESTED']],
  ['PAUSE', ['DONE', 'DELIVERED', 'REQUESTED', 'REQUESTED', 'REQUESTED']],
])('%s supersedes what is pending before it as it does', async (name, expected) => {
  await givenCommand(engine, command(1, { status: 'DONE' }));
  await givenCommand(engine, command(2, { status: 'DELIVERED' }));
  await givenCommand(engine, command(3, { name: 'RETURN_HOME' }));
  await givenCommand(engine, command(4, { name }));
  await givenCommand(engine, command(5));
  await streamed(command(4, { name }));
  expect(await states()).toEqual(expected);
  const superseded = (await commandsIn(engine)).filter(({ status }) => status === 'SUPERSEDED');
  expect(superseded.every(({ supersededBy }) => supersededBy === numbered(4))).toBe(true);
});

/** Deletes a job, as the stream of its table tells it. */
const deleted = (job: Partial<Job>) => publish({ Records: [jobRecord(sampleJob(job), undefined)] });
const flown = { status: 'IN_PROGRESS', deviceId: id('device') } as const;

/** So many seconds after the last change of the job, ISO 8601. */
const later = (seconds: number) => new Date(Date.parse(sampleJob().updatedAt) + seconds * 1000).toISOString();

/** A device that measured its state so many seconds after the last change of the job. */
const measured = (droneState: string, seconds: number, more: object = {}) =>
  commandedDevice(droneState, { lastState: JSON.stringify({ timestamp: later(seconds), droneState, ...more }) });

test.each([
  ['flies, as it reported', commandedDevice()],
  ['has not reported since', measured('DOCKED', -5)],
  ['stood still as its job was begun', measured('DOCKED', 119)],
  ['stood still, and reports so late', { ...measured('DOCKED', 5), savedAt: later(70) }],
])('the drone of a job that is deleted in flight is sent home, once, when it %s', async (_, device) => {
  await engine.put('fleet', device);
  for (let times = 0; times < 2; times += 1) expect(await deleted(flown)).toEqual(done);
  expect(await commandsIn(engine)).toMatchObject([
    { name: 'RETURN_HOME', origin: 'service', jobId: id('job'), sequence: 1, status: 'REQUESTED' },
  ]);
});

test.each([
  ['that had not begun', { ...flown, status: 'QUEUED' }, commandedDevice()],
  ['of which nobody knows the device', { status: 'IN_PROGRESS' }, commandedDevice()],
  ['whose drone has landed', flown, measured('LANDED', 121)],
  [
    'whose drone flies another one',
    flown,
    measured('WAYPOINT', 5, { jobId: id('job', acme, '01jd0000000000000000000009') }),
  ],
  ['whose device was removed', flown, { ...commandedDevice(), kind: 'removed' }],
  ['whose device knows no such command', flown, commandedDevice('HOVER', { capabilities: '{"commands":["LAND"]}' })],
] as const)('no drone is sent home for a job %s', async (_, job, device) => {
  await engine.put('fleet', device);
  expect(await deleted(job)).toEqual(done);
  expect(await commandsIn(engine)).toEqual([]);
});

const viewers = { origin: 'share', shareId: 'digest' } as const;

test('a viewer’s command is published while its share stands', async () => {
  await engine.put('shares', shareItem({ permissions: ['view', 'control'] }));
  await givenCommand(engine, command(1, viewers), id('share'));
  await streamed(command(1, viewers), id('share'));
  expect(published()).toMatchObject([{ origin: 'share', shareId: 'digest' }]);
  expect(JSON.stringify(published())).not.toContain(id('share'));
});

test('a viewer’s command whose share was just revoked is not', async () => {
  await givenCommand(engine, command(1, viewers), id('share'));
  expect(await streamed(command(1, viewers), id('share'))).toEqual(done);
  expect(published()).toEqual([]);
  expect(await commandsIn(engine)).toMatchObject([{ status: 'REFUSED', reason: 'SHARE_ENDED' }]);
  expect(written.join('')).not.toContain(id('share'));
});

test('the end of a share ends its commands that nobody has begun, and no others', async () => {
  const another = id('share', acme, '01jd0000000000000000000009');
  await givenCommand(engine, command(1, viewers), id('share'));
  await givenCommand(engine, command(2, { ...viewers, status: 'DELIVERED' }), id('share'));
  await givenCommand(engine, command(3, viewers), another);
  await givenCommand(engine, command(4));
  const { organisation, shareCode, ...rest } = shareItem({ permissions: ['view', 'control'] });
  const ended = record({ organisation, shareCode }, { organisation, shareCode, ...rest, ttl: 1 }, undefined);
  await onShareChange({ Records: [ended] });
  expect(await states()).toEqual(['REFUSED', 'DELIVERED', 'REQUESTED', 'REQUESTED']);
});

test.each([
  ['DELIVERED', {}, { status: 'DELIVERED', deliveredAt: '2026-11-27T10:30:04.000Z' }],
  ['DONE', {}, { status: 'DONE', endedAt: '2026-11-27T10:30:04.000Z' }],
  ['REFUSED', { reason: 'DEVICE_BUSY' }, { status: 'REFUSED', reason: 'DEVICE_BUSY' }],
  ['FAILED', { reason: 'DEVICE_FAULT' }, { status: 'FAILED', reason: 'DEVICE_FAULT' }],
  ['SUPERSEDED', {}, { status: 'SUPERSEDED' }],
])('a reported %s is the status', async (outcome, more, expected) => {
  await givenCommand(engine, command(1));
  expect(await report({ requestId: numbered(1), outcome, ...more })).toBeUndefined();
  expect(await commandsIn(engine)).toMatchObject([{ ...expected, version: 2 }]);
});

test('a delivery that is known after the outcome, and a second report of it, change nothing', async () => {
  await givenCommand(engine, command(1));
  for (const [outcome, eventId] of [
    ['DONE', 'one'],
    ['DELIVERED', 'two'],
    ['DONE', 'one'],
    ['DONE', 'three'],
  ])
    await report({ requestId: numbered(1), outcome }, eventId);
  expect(await commandsIn(engine)).toMatchObject([{ status: 'DONE', version: 2 }]);
});

test('an outcome that comes after the end is kept beside it, once', async () => {
  await givenCommand(engine, command(1, { status: 'TIMED_OUT', endedAt: '2026-11-27T10:30:02.000Z' }));
  await report({ requestId: numbered(1), outcome: 'DONE' }, 'one');
  await report({ requestId: numbered(1), outcome: 'DONE' }, 'one');
  await report({ requestId: numbered(1), outcome: 'FAILED' }, 'two');
  expect(await commandsIn(engine)).toMatchObject([
    { status: 'TIMED_OUT', lateOutcome: { outcome: 'DONE', at: '2026-11-27T10:30:04.000Z' }, version: 2 },
  ]);
});

test.each([
  ['an unknown command', { requestId: numbered(9) }],
  ["another device's command", { requestId: numbered(1), deviceId: id('device', acme, '01jd0000000000000000000009') }],
  ['a text that is no command', { requestId: 'mine' }],
  ['what is kept beside the commands', { requestId: 'head' }],
])('the outcome of %s is told to the platform', async (_, detail) => {
  await givenCommand(engine, command(1));
  await engine.put('commands', { deviceId: id('device'), commandId: 'head', sequence: 1 });
  await report({ outcome: 'DONE', ...detail });
  expect(await states()).toEqual(['REQUESTED']);
  expect(logLines()).toContainEqual(
    expect.objectContaining({ message: 'a report changed nothing', reason: 'unknown' }),
  );
});

const pass = (sequence: number) =>
  deliver({
    Records: [
      {
        messageId: 'message-1',
        body: JSON.stringify({ dueCommand: { deviceId: id('device'), commandId: numbered(sequence) } }),
        attributes: { ApproximateReceiveCount: '1' },
      },
    ],
  });

test.each(commandStatuses.filter((status) => status !== 'TIMED_OUT'))(
  'one that is %s when its time is over has timed out, unless it has ended',
  async (status) => {
    await givenCommand(engine, command(1, { status }));
    expect(await pass(1)).toEqual(done);
    await pass(1);
    const ended = isEnded(status);
    expect(await commandsIn(engine)).toMatchObject([{ status: ended ? status : 'TIMED_OUT', version: ended ? 1 : 2 }]);
  },
);
