import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { BatchGetCommand, GetCommand, UpdateCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { jobToItem } from '../../../data/jobs/jobs';
import type { JobStatus } from '../../../domain/jobs/job-lifecycle';
import { conditionFailed, store } from '../../data/fixtures/store';
import { acme, id, sampleJob, rival } from '../../domain/fixtures/samples';
import { logLines, otherLines, written } from '../fixtures/log';
import {
  givenStore,
  consume,
  deadLetters,
  platformEvent,
  receive,
  retried,
  consumeAgain,
  rejected,
  consume as consumeBodies,
} from '../fixtures/platform-events';
import { deviceItem, newDeviceId, queue, later } from '../fixtures/telemetry';
import { connection, sockets } from '../../data/fixtures/sockets';
import { platformEventExamples } from '../../../contract/platform/platform-events.examples';
import { inboundEvents, type InboundEventType } from '../../../domain/platform/inbound-events';
import { PLATFORM } from '../../../domain/values/service';
import { changeJob } from '../../../data/jobs/job-changes';
import { storeOnEngine } from '../../data/fixtures/engine';
import { fc, propertyRuns } from '../../property-runs';

describe('Received platform event', () => {
  const report = (status: JobStatus) =>
    platformEvent('job.status.reported', { jobId: id('job'), status, at: '2026-11-27T10:30:00.000Z' });
  const updates = () => store.commandCalls(UpdateCommand, { TableName: 'jobs' }).map(({ args: [{ input }] }) => input);
  const changed = { ':status': 'QUEUED', ':changeId': 'platform-event-1' };
  const unanswered = () => new Error('throttled');

  const queued = jobToItem(acme, sampleJob({ status: 'QUEUED' }));

  beforeEach(() => {
    jest.useFakeTimers({
      now: new Date('2026-11-27T10:30:30.000Z'),
      doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'],
    });
    givenStore();
    store.on(UpdateCommand, { TableName: 'jobs' }).resolves({ Attributes: queued });
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  test('an event of the bus is applied without any queue', async () => {
    await expect(receive(report('QUEUED'))).resolves.toBeUndefined();
    expect(updates()).toMatchObject([{ ExpressionAttributeValues: changed }]);
    expect(queue).not.toHaveReceivedAnyCommand();
  });

  test('samples of unknown devices are retried from the queue after two seconds, in an event with only them', async () => {
    const [known, unknown] = [newDeviceId(), newDeviceId()];
    const item = deviceItem(known);
    store.on(BatchGetCommand).resolves({ Responses: { fleet: [item] } });
    store.on(UpdateCommand, { TableName: 'fleet' }).resolves({ Attributes: item });
    const sample = (deviceId: string, second = 0) => ({ deviceId, timestamp: `2026-11-20T10:30:0${second}.000Z` });
    const malformed = { ...sample(known), battery: 7 };
    const telemetry = (...samples: object[]) => platformEvent('device.telemetry.reported', { telemetry: samples });
    await receive(telemetry(sample(unknown), sample(known), malformed, sample(unknown, 1)));
    expect(retried()).toEqual([[telemetry(sample(unknown), sample(unknown, 1)), 2]]);
    expect(deadLetters()).toEqual([[telemetry(malformed), expect.stringContaining('battery')]]);
    expect(store.commandCalls(UpdateCommand, { TableName: 'fleet' })).toHaveLength(1);
  });

  test('a malformed event of the bus is sent to the dead-letter queue at once, unchanged', async () => {
    const malformed = platformEvent('job.status.reported', { status: 'QUEUED' });
    await receive(malformed);
    expect(deadLetters()).toEqual([[malformed, expect.stringContaining('jobId')]]);
    expect(retried()).toEqual([]);
  });

  test('an event that can’t be applied now is retried from the queue after 30 seconds, with its id and time', async () => {
    store.on(UpdateCommand, { TableName: 'jobs' }).rejectsOnce(unanswered()).resolves({ Attributes: queued });
    await expect(receive(report('QUEUED'))).resolves.toBeUndefined();
    expect(retried()).toEqual([[report('QUEUED'), 30]]);
    // No ERROR: the alarm fires when retries fail too.
    expect(logLines()).toMatchObject([{ level: 'WARN', error: { message: 'throttled' } }]);
    const [[body] = []] = retried();
    expect(await consume(String(body))).toEqual({ batchItemFailures: [] });
    expect(updates()).toMatchObject([{}, { ExpressionAttributeValues: changed }]);
  });

  test('a report that arrives before its predecessor is retried from the queue after two seconds', async () => {
    store.on(UpdateCommand, { TableName: 'jobs' }).rejects(conditionFailed(queued));
    store.on(GetCommand, { TableName: 'jobs' }).resolves({ Item: queued });
    await receive(report('COMPLETED'));
    expect(retried()).toEqual([[report('COMPLETED'), 2]]);
    expect(logLines()).toMatchObject([{ level: 'INFO', eventId: 'event-1' }]);
  });

  test('a malformed event that the dead-letter queue does not accept is retried from the queue', async () => {
    queue
      .on(SendMessageCommand, { QueueUrl: process.env['DEAD_LETTER_QUEUE_URL'] })
      .rejects(unanswered())
      .on(SendMessageCommand, { QueueUrl: process.env['RETRY_QUEUE_URL'] })
      .resolves({});
    const malformed = platformEvent('weather.reported', {});
    await receive(malformed);
    expect(retried()).toEqual([[malformed, 30]]);
  });

  test('an invocation fails, and is retried by Lambda, when the queue does not accept the event either', async () => {
    store.on(UpdateCommand, { TableName: 'jobs' }).rejects(unanswered());
    queue.on(SendMessageCommand).rejects(new Error('no queue'));
    await expect(receive(report('QUEUED'))).rejects.toThrow('no queue');
  });
});

/** Reasons in the lines logged so far. */
const loggedReasons = () => logLines().flatMap(({ reason }) => (reason === undefined ? [] : [reason]));

describe('An event of the drone platform', () => {
  const at = new Date().toISOString();
  const report = (status: JobStatus) => consume(platformEvent('job.status.reported', { jobId: id('job'), status, at }));
  const telemetryOf = (deviceId: string) => platformEvent('device.telemetry.reported', { deviceId, timestamp: at });
  const telemetry = (deviceId: string) => consume(telemetryOf(deviceId));

  /** Stores the sample job with a status that the report cannot change, or no job. */
  function givenJob(status?: JobStatus): void {
    const item = status && jobToItem(acme, sampleJob({ status, createdAt: at }));
    store.on(UpdateCommand).rejects(conditionFailed(item));
    store.on(GetCommand).resolves(item ? { Item: item } : {});
  }
  function givenDevices(...fleet: object[]): void {
    store.on(BatchGetCommand).resolves({ Responses: { fleet } });
    store.on(UpdateCommand, { TableName: 'fleet' }).resolves({ Attributes: fleet[0] as Record<string, unknown> });
  }
  const lastState = JSON.stringify({ timestamp: at });
  const known = newDeviceId();

  beforeEach(() => {
    givenStore();
  });

  test.each<[string, () => unknown, () => Promise<unknown>]>([
    ['late', () => givenJob('IN_PROGRESS'), () => report('QUEUED')],
    ['contradictory', () => givenJob('COMPLETED'), () => report('FAILED')],
    ['repeated', () => givenJob('QUEUED'), () => report('QUEUED')],
    ['unknown', () => givenJob(), () => report('QUEUED')],
    ['late', () => givenDevices(deviceItem(known, { lastState })), () => telemetry(known)],
    ['malformed', () => undefined, () => consume(platformEvent('job.status.reported', { at }))],
    ['malformed', () => undefined, () => consume(platformEvent('weather.reported', {}))],
    ['malformed', () => undefined, () => telemetry('drone-7')],
    ['unknown', () => givenDevices(), () => consumeAgain(5, telemetryOf(newDeviceId()))],
    ['malformed', () => undefined, () => consume(platformEvent('device.removed', { deviceId: 'drone-7' }))],
  ])('that is dropped as %s is logged with that reason', async (reason, given, when) => {
    given();
    await when();
    expect(written.join('')).not.toBe('');
    expect(loggedReasons()).toEqual([reason]);
  });

  test('that cannot be sent to a follower is logged without a reason', async () => {
    const deviceId = newDeviceId();
    givenDevices(deviceItem(deviceId, { socketsUntil: later }));
    store.on(QueryCommand).resolves({ Items: [connection({ channel: `telemetry#${deviceId}` })] });
    sockets.rejects(new Error('socket hang up on 10.0.0.7'));
    await telemetry(deviceId);
    expect(otherLines()).toMatchObject([{ message: 'socket could be neither posted to nor closed' }]);
    expect(loggedReasons()).toEqual([]);
  });

  const accepted = newDeviceId();
  test.each<[string, () => unknown, () => Promise<unknown>]>([
    ['is accepted', () => givenDevices(deviceItem(accepted)), () => telemetry(accepted)],
    ['is retried because it is early', () => givenJob('QUEUED'), () => report('COMPLETED')],
    ['is retried because its device is unknown', () => givenDevices(), () => telemetry(newDeviceId())],
  ])('that %s is not logged as dropped', async (_, given, when) => {
    given();
    await when();
    expect(loggedReasons()).toEqual([]);
  });
});

describe('Malformed events', () => {
  type Detail = Readonly<Record<string, unknown>>;
  type Fault = [what: string, type: InboundEventType, detail: Detail, path: string];
  const NEXT = platformEvent('device.removed', { deviceId: id('device') });

  /** An example of each event with all its fields. */
  const examples = platformEventExamples
    .filter(({ source }) => source === PLATFORM)
    .map(({ 'detail-type': type, detail }) => [type as InboundEventType, { ...detail }] as const);
  const wholes: (readonly [InboundEventType, Detail])[] = [
    ...examples.filter(([type]) => type !== 'device.telemetry.reported'),
    ...examples.flatMap(([type, detail]) =>
      type === 'job.status.reported'
        ? [
            [
              type,
              { ...detail, status: 'FAILED', reason: 'WEATHER', reasonText: 'Gusts', commandId: 'command-1' },
            ] as const,
          ]
        : [],
    ),
  ];

  const isRequired = (type: InboundEventType, detail: Detail, field: string) =>
    !z.safeParse(inboundEvents[type], { ...detail, [field]: undefined }).success;

  const kinds = { jobId: 'job', deviceId: 'device', deviceGroupId: 'group', stream: 'stream' } as const;

  /** Each fault of each field: what is wrong, the event, the detail, the path. */
  const faults = wholes.flatMap(([type, detail]) =>
    Object.keys(detail).flatMap((field): Fault[] => {
      const wrong = (what: string, value: unknown): Fault => [
        `${what} ${field}`,
        type,
        { ...detail, [field]: value },
        field,
      ];
      const isIdentifier = field in kinds || field === 'organisationId';
      return [
        ...(isRequired(type, detail, field) ? [wrong('without', undefined), wrong('with null for', null)] : []),
        ...(typeof detail[field] === 'number' ? [wrong('with a text for', '7')] : [wrong('with a number for', 7)]),
        // Of what may be left out in capabilities, all may.
        ...(field === 'capabilities' ? [] : [wrong('with an object for', {})]),
        wrong('with a text that is too long for', 'x'.repeat(4097)),
        ...(isIdentifier ? [wrong('with what this service never issued for', 'hello')] : []),
      ];
    }),
  );
  /** What belongs to another organisation than the first identifier. */
  const foreign: Fault[] = wholes.flatMap(([type, detail]) =>
    Object.entries(kinds)
      .filter(([field]) => field in detail && Object.keys(detail).some((other) => other in kinds && other !== field))
      .filter(([field]) => (type === 'device.registered' ? field !== 'deviceId' : field !== 'jobId'))
      .map(([field, kind]): Fault => [`with a foreign ${field}`, type, { ...detail, [field]: id(kind, rival) }, field]),
  );

  beforeEach(() => {
    jest.useFakeTimers({
      now: new Date('2026-11-27T10:45:00.000Z'),
      doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'],
    });
    givenStore();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test('each event of the platform is among the examples, and most have several faults', () => {
    const types = Object.keys(inboundEvents).filter((type) => type !== 'device.telemetry.reported');
    expect(new Set(wholes.map(([type]) => type))).toEqual(new Set(types));
    expect(faults.length).toBeGreaterThan(100);
    expect(foreign.length).toBeGreaterThan(3);
    expect(id('job')).toContain(acme);
  });

  test.each([...faults, ...foreign])(
    'an event %s (%s) is set aside with its path, and the next is applied',
    async (_, type, detail, path) => {
      const body = platformEvent(type, detail);
      expect(await consume(body, NEXT)).toEqual({ batchItemFailures: [] });
      expect(deadLetters()).toEqual([[body, expect.stringMatching(new RegExp(`^${path}[. ]`)) as string]]);
      expect(rejected()).toMatchObject([['report.rejected', { reason: 'malformed' }]]);
      const [[, told]] = rejected() as [[string, { details: readonly { path: string }[] }]];
      expect(new Set(told.details.map((one) => one.path.split('.')[0]))).toEqual(new Set([path]));
      const removed = store.commandCalls(UpdateCommand, { TableName: 'fleet' }).map(({ args: [{ input }] }) => input);
      expect(removed).toMatchObject([{ ExpressionAttributeValues: { ':kind': 'removed' } }]);
    },
  );
});

describe('Replayed events', () => {
  const engine = storeOnEngine('jobs');
  const { organisation, jobId } = jobToItem(acme, sampleJob());
  const stored = () => engine.get('jobs', { organisation, jobId });
  let writes = 0;

  const statuses = ['QUEUED', 'IN_PROGRESS', 'COMPLETED'] satisfies JobStatus[];
  const event = (status: JobStatus, eventId = `event-${status}`) => ({
    id: eventId,
    source: PLATFORM,
    'detail-type': 'job.status.reported',
    time: '2026-11-20T10:30:00Z',
    detail: { jobId: id('job'), status, at: '2026-11-27T10:30:00.000Z' },
  });
  const consume = (events: readonly object[]) => consumeBodies(...events.map((one) => JSON.stringify(one)));

  beforeEach(async () => {
    jest.useFakeTimers({
      now: new Date('2026-11-27T10:30:30.000Z'),
      doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setTimeout'],
    });
    await engine.put('jobs', jobToItem(acme, sampleJob({ version: 1, status: 'PENDING' })));
    writes = 0;
    store.on(UpdateCommand).callsFake(async (input: object) => {
      const updated = await engine.answers('UpdateCommand')(input);
      writes += 1;
      return updated;
    });
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  test('events replayed from the archive, in any order and any number of times, change no job a second time', async () => {
    await consume(statuses.map((status) => event(status)));
    expect(await stored()).toMatchObject({ status: 'COMPLETED', version: 4, changedBy: PLATFORM });
    // The platform may also report the same status in another event.
    const one = fc.tuple(fc.constantFrom(...statuses), fc.constantFrom(undefined, 'another'));
    const replay = fc.array(one, { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(replay, async (replayed) => {
        const again = replayed.map((report) => ({ ...event(...report), 'replay-name': 'again' }));
        expect(await consume(again)).toEqual({ batchItemFailures: [] });
        expect(await stored()).toMatchObject({ status: 'COMPLETED', version: 4 });
        expect(writes).toBe(3);
      }),
      { numRuns: propertyRuns(30) },
    );
  });

  test('a change of a partner after a report is not taken for one of the platform', async () => {
    await consume([event('QUEUED')]);
    expect(await stored()).toMatchObject({ version: 2, changedBy: PLATFORM });
    const options = { changeId: 'request-1', now: '2026-11-27T10:31:00.000Z' };
    await changeJob(acme, jobId, { priority: 9 }, options);
    expect(await stored()).toMatchObject({ version: 3, priority: 9 });
    expect(await stored()).not.toHaveProperty('changedBy');
    await consume([event('IN_PROGRESS')]);
    expect(await stored()).toMatchObject({ version: 4, changedBy: PLATFORM });
  });

  test('a partial replay leaves a job in the status of the last event', async () => {
    await consume([event('QUEUED'), event('QUEUED'), event('IN_PROGRESS')]);
    expect(await consume([event('QUEUED'), event('IN_PROGRESS'), event('IN_PROGRESS')])).toEqual({
      batchItemFailures: [],
    });
    expect(await stored()).toMatchObject({ status: 'IN_PROGRESS', version: 3 });
    expect(writes).toBe(2);
  });
});
