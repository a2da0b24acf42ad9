import { fleetKey } from '../../../data/fleet/fleet-key';
import { storedState } from '../../../data/fleet/state-text';
import { BatchGetCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { jobFromItem, jobToItem } from '../../../data/jobs/jobs';
import { SAID_EVERY_MS } from '../../../domain/telemetry/receipt';
import { PLATFORM } from '../../../domain/values/service';
import type { JobStatus } from '../../../domain/jobs/job-lifecycle';
import { storeOnEngine } from '../../data/fixtures/engine';
import { conditionFailed, store } from '../../data/fixtures/store';
import { acme, id, rival, sampleJob } from '../../domain/fixtures/samples';
import { logLines, otherLines, receipts } from '../fixtures/log';
import {
  consume,
  givenStore,
  consumeAgain,
  deadLetters,
  platformEvent,
  receive,
  rejected,
  retried,
  time,
} from '../fixtures/platform-events';
import { deviceItem, givenFollowers, later, newDeviceId, queue, sentTo } from '../fixtures/telemetry';

const engine = storeOnEngine('jobs');
const now = new Date('2026-11-27T10:30:30.000Z');
const at = '2026-11-27T10:30:00.000Z';
const succeeded = { batchItemFailures: [] };
const report = (status: JobStatus, jobId = id('job')) => platformEvent('job.status.reported', { jobId, status, at });
const sample = (deviceId = id('device')) => ({ deviceId, timestamp: at, battery: { percent: 50 } });
const telemetry = (detail: object) => platformEvent('device.telemetry.reported', detail);
const removal = platformEvent('device.removed', { deviceId: id('device') });

const updates = (table: string) =>
  store.commandCalls(UpdateCommand, { TableName: table }).map(({ args: [{ input }] }) => input);
/** The removal of the sample device, as it is written to the fleet table. */
const removed = {
  Key: fleetKey(acme, id('device')),
  ExpressionAttributeValues: { ':kind': 'removed', ':eventTime': '2026-11-27T10:29:30.000Z' },
};
/** Stores the sample job with a status that a report cannot change. */
function givenJobThatIs(status: JobStatus): void {
  const item = jobToItem(acme, sampleJob({ status }));
  store.on(UpdateCommand, { TableName: 'jobs' }).rejects(conditionFailed(item));
  store.on(GetCommand, { TableName: 'jobs' }).resolves({ Item: item });
}
function givenDevices(...fleet: ReturnType<typeof deviceItem>[]) {
  store.on(BatchGetCommand).resolves({ Responses: { fleet } });
  store.on(UpdateCommand, { TableName: 'fleet' }).callsFake(({ Key }: { Key: { id: string } }) => ({
    Attributes: fleet.find(({ deviceId }) => deviceId === Key.id),
  }));
}

beforeEach(() => {
  jest.useFakeTimers({ now, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setTimeout', 'clearTimeout'] });
  givenStore();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('A reported job status', () => {
  test.each<[string, JobStatus, string, object]>([
    ['begins to be flown when the platform says so', 'IN_PROGRESS', at, { startedAt: at }],
    ['ends when the platform says so', 'COMPLETED', at, { endedAt: at }],
    [
      'begins now, if the clock of the platform is ahead',
      'IN_PROGRESS',
      '2026-11-27T10:30:30.001Z',
      { startedAt: now.toISOString() },
    ],
  ])('%s', async (_, status, reportedAt, times) => {
    const before = status === 'COMPLETED' ? 'IN_PROGRESS' : 'QUEUED';
    await engine.put('jobs', jobToItem(acme, sampleJob({ status: before })));
    store.on(UpdateCommand, { TableName: 'jobs' }).callsFake(engine.answers('UpdateCommand'));
    await consume(platformEvent('job.status.reported', { jobId: id('job'), status, at: reportedAt }));
    const { startedAt, endedAt } = (await engine.get('jobs', { organisation: acme, jobId: id('job') })) ?? {};
    expect({ startedAt, endedAt }).toEqual({ startedAt: undefined, endedAt: undefined, ...times });
  });

  test('changes the job in the name of its organisation, once per event', async () => {
    const changed = jobToItem(acme, sampleJob({ status: 'QUEUED', updatedAt: now.toISOString() }));
    store.on(UpdateCommand, { TableName: 'jobs' }).resolves({ Attributes: changed });
    expect(await consume(report('QUEUED'))).toEqual(succeeded);
    expect(updates('jobs')).toMatchObject([
      {
        Key: { organisation: acme, jobId: id('job') },
        ExpressionAttributeValues: {
          ':caller': acme,
          ':status': 'QUEUED',
          ':changeId': 'platform-event-1',
          ':changedBy': PLATFORM,
        },
      },
    ]);
    expect(logLines()).toMatchObject([
      { level: 'INFO', message: 'reported', jobId: id('job'), version: 3, eventId: 'event-1' },
    ]);
  });

  test.each<[string, JobStatus, JobStatus]>([
    ['late', 'IN_PROGRESS', 'QUEUED'],
    ['contradictory', 'COMPLETED', 'FAILED'],
  ])('that is %s is dropped with that reason', async (reason, known, reported) => {
    givenJobThatIs(known);
    expect(await consume(report(reported))).toEqual(succeeded);
    expect(logLines()).toMatchObject([{ level: 'WARN', type: 'job.status.reported', reason }]);
    expect(deadLetters()).toEqual([]);
  });

  test('that arrives before its predecessor is retried', async () => {
    givenJobThatIs('QUEUED');
    expect(await consume(report('COMPLETED'))).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }] });
    expect(logLines()).toMatchObject([{ level: 'INFO', eventId: 'event-1' }]);
  });

  test('of an unknown job is dropped', async () => {
    store.on(UpdateCommand, { TableName: 'jobs' }).rejects(conditionFailed());
    expect(await consume(report('QUEUED'))).toEqual(succeeded);
    expect(logLines()).toMatchObject([{ reason: 'unknown', jobId: id('job'), eventId: 'event-1' }]);
  });

  test('that is still early when it is delivered for the fifth time is sent to the dead-letter queue', async () => {
    givenJobThatIs('QUEUED');
    expect(await consumeAgain(5, report('COMPLETED'))).toEqual(succeeded);
    expect(deadLetters()).toEqual([[report('COMPLETED'), 'early']]);
    expect(logLines()).toMatchObject([{ level: 'WARN', reason: 'early', jobId: id('job') }]);
  });

  const created = sampleJob().createdAt;
  test.each<[string, object, object]>([
    ['its time', {}, { reportedAt: at }],
    [
      'its time, a minute before the job at most',
      { at: '2026-11-27T09:59:00.000Z' },
      { reportedAt: '2026-11-27T09:59:00.000Z' },
    ],
    [
      'its time, a minute ahead at most',
      { at: '2026-11-27T10:31:30.000Z' },
      { reportedAt: '2026-11-27T10:31:30.000Z' },
    ],
    ['the device that flies', { deviceId: id('device') }, { reportedAt: at, deviceId: id('device') }],
    [
      'why it failed',
      { status: 'FAILED', reason: 'LINK_LOSS', reasonText: 'Lost' },
      { status: 'FAILED', reportedAt: at, reason: 'LINK_LOSS', reasonText: 'Lost' },
    ],
    [
      'which command ended the flight',
      { status: 'FAILED', reason: 'ABORTED_BY_COMMAND', commandId: 'command-1' },
      { status: 'FAILED', reportedAt: at, reason: 'ABORTED_BY_COMMAND', commandId: 'command-1' },
    ],
    [
      'no reason and no command but for a failure',
      { reason: 'LINK_LOSS', reasonText: 'Lost', commandId: 'command-1' },
      { reportedAt: at },
    ],
  ])('is stored with %s', async (_, more, expected) => {
    const { deviceId: _deviceId, ...job } = sampleJob({ status: 'PENDING', createdAt: created });
    await engine.put('jobs', jobToItem(acme, job));
    store.on(UpdateCommand, { TableName: 'jobs' }).callsFake(engine.answers('UpdateCommand'));
    await consume(platformEvent('job.status.reported', { jobId: id('job'), status: 'QUEUED', at, ...more }));
    const found = jobFromItem(await engine.get('jobs', { organisation: acme, jobId: id('job') }))?.job;
    expect(found).toMatchObject({ status: 'QUEUED', ...expected });
    const told = Object.keys(found ?? {}).filter((field) => /reason|reported|deviceId$|commandId/.test(field));
    expect(new Set(told)).toEqual(new Set(Object.keys(expected).filter((field) => field !== 'status')));
    expect(rejected()).toEqual([]);
  });

  test.each<[string, object, string]>([
    ['lies before its job', { at: '2026-11-27T09:58:59.999Z' }, 'at'],
    ['lies in another age', { at: '1999-01-01T00:00:00Z' }, 'at'],
    ['lies more than a minute ahead', { at: '2026-11-27T10:31:30.001Z' }, 'at'],
    ['names another device than the job', { deviceId: id('device', acme, '0'.repeat(26)) }, 'deviceId'],
    ['names a device of another organisation', { deviceId: id('device', rival) }, 'deviceId'],
    ['names no device', { deviceId: 'drone-7' }, 'deviceId'],
    ['has no reason code', { status: 'FAILED', reason: 'lost it' }, 'reason'],
    ['has a reason that is too long', { status: 'FAILED', reasonText: 'x'.repeat(1025) }, 'reasonText'],
    ['has a command that is too long', { status: 'FAILED', commandId: 'x'.repeat(257) }, 'commandId'],
    ['cancels', { status: 'CANCELLED' }, 'status'],
    ['says that it waits', { status: 'PENDING' }, 'status'],
    ['names no job of this service', { jobId: 'hello' }, 'jobId'],
    ['names no job', { jobId: undefined }, 'jobId'],
    ['has no time', { at: undefined }, 'at'],
  ])('that %s is sent to the dead-letter queue, and the platform is told of the field', async (_, more, path) => {
    const job = sampleJob({ status: 'PENDING', deviceId: id('device') });
    await engine.put('jobs', jobToItem(acme, job));
    store.on(UpdateCommand, { TableName: 'jobs' }).callsFake(engine.answers('UpdateCommand'));
    const body = platformEvent('job.status.reported', { jobId: id('job'), status: 'QUEUED', at, ...more });
    expect(await consume(body, removal)).toEqual(succeeded);
    expect(jobFromItem(await engine.get('jobs', { organisation: acme, jobId: id('job') }))?.job).toEqual(job);
    expect(deadLetters()).toEqual([[body, expect.stringMatching(new RegExp(`^${path} `))]]);
    expect(rejected()).toMatchObject([
      ['report.rejected', { reportId: 'event-1', reason: 'malformed', details: [{ path }] }],
    ]);
    expect(updates('fleet')).toMatchObject([removed]);
  });

  test('is retried when DynamoDB fails, and the events behind it are applied', async () => {
    store.on(UpdateCommand, { TableName: 'jobs' }).rejects(new Error('throttled'));
    expect(await consume(report('QUEUED'), removal)).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }] });
    expect(updates('fleet')).toMatchObject([removed]);
    expect(logLines()).toMatchObject([{ level: 'ERROR', error: { message: 'throttled' } }]);
  });
});

describe('Reported telemetry', () => {
  test('is logged as the platform’s, with what was dropped of it', async () => {
    const deviceId = newDeviceId();
    givenDevices(deviceItem(deviceId));
    const nowhere = { type: 'Point', coordinates: [0, 0, 30] };
    const all = [
      { ...sample(deviceId), navigation: { position: nowhere } },
      { ...sample(deviceId), battery: 'full' },
    ];
    await consume(telemetry({ telemetry: [...all, sample('drone-7')] }));
    expect(
      receipts().map(({ publisher, deviceId: of, dropped, samples }) => [publisher, of, dropped, samples]),
    ).toEqual([
      [PLATFORM, deviceId, 'position at 0, 0', 1],
      [PLATFORM, deviceId, 'malformed: battery', 1],
      [PLATFORM, undefined, 'deviceId is not an identifier of this service', 1],
    ]);
  });

  /** What the log says of a device's samples. */
  const saidOf = (deviceId: string) =>
    receipts()
      .filter((line) => line['deviceId'] === deviceId)
      .map(({ dropped, samples }) => [dropped, samples]);
  const [NOT_YOURS, FAILED] = ['deviceId is not a device of yours', 'the service failed'];
  type Answer = 'fails' | 'unknown' | 'known';
  const answers: Readonly<Record<Answer, (deviceId: string) => unknown>> = {
    fails: () => store.on(BatchGetCommand).rejects(new Error('throttled')),
    unknown: () => givenDevices(),
    known: (deviceId) => givenDevices(deviceItem(deviceId)),
  };
  const times = (count: number, answer: Answer) => Array.from({ length: count }, () => answer);
  const beside = (of: string) => [sample(of), { ...sample(of), battery: 'full' }];
  test.each<[string, Answer[], (of: string) => unknown[], [string | undefined, number][]]>([
    ['its device is always unknown', times(5, 'unknown'), (of) => [sample(of)], [[NOT_YOURS, 1]]],
    ['its device is unknown, and one is left', times(4, 'unknown'), (of) => [sample(of)], []],
    ['its device is registered meanwhile', [...times(2, 'unknown'), 'known'], (of) => [sample(of)], [[undefined, 1]]],
    ['DynamoDB fails at first', [...times(2, 'fails'), 'known'], (of) => [sample(of)], [[undefined, 1]]],
    ['DynamoDB fails, and one is left', times(4, 'fails'), (of) => [sample(of)], []],
    ['DynamoDB always fails', times(5, 'fails'), (of) => [sample(of), sample(of)], [[FAILED, 2]]],
    [
      'DynamoDB fails at first, and one beside it is malformed',
      [...times(2, 'fails'), 'known'],
      beside,
      [
        [undefined, 1],
        ['malformed: battery', 1],
      ],
    ],
    [
      'DynamoDB always fails, and one beside it is malformed',
      times(5, 'fails'),
      beside,
      [
        [FAILED, 1],
        ['malformed: battery', 1],
      ],
    ],
  ])('is counted once in all attempts when %s', async (_, attempts, samples, expected) => {
    const deviceId = newDeviceId();
    const body = telemetry({ telemetry: samples(deviceId) });
    for (const [index, answer] of attempts.entries()) {
      // What is said again is said in a line of its own.
      jest.setSystemTime(now.getTime() + index * SAID_EVERY_MS);
      answers[answer](deviceId);
      await consumeAgain(index + 1, body);
    }
    expect(saidOf(deviceId)).toEqual(expected);
  });

  test('is counted once, though one of the list is tried again by itself', async () => {
    const [known, unknown] = [newDeviceId(), newDeviceId()];
    givenDevices(deviceItem(known));
    await receive(telemetry({ telemetry: [sample(known), sample(unknown), sample(known)] }));
    expect([saidOf(known), saidOf(unknown)]).toEqual([[[undefined, 2]], []]);
    const [[rest]] = retried() as [[string]];
    for (const attempt of [1, 2, 3, 4, 5]) {
      jest.setSystemTime(now.getTime() + attempt * SAID_EVERY_MS);
      await consumeAgain(attempt, rest);
    }
    expect([saidOf(known), saidOf(unknown)]).toEqual([[[undefined, 2]], [[NOT_YOURS, 1]]]);
  });

  test('is said in the last attempt to be lost only where the service failed', async () => {
    const [own, foreign] = [newDeviceId(), `device-${rival}-${'0'.repeat(26)}`];
    givenDevices(deviceItem(own));
    const keys = { RequestItems: { fleet: { Keys: [fleetKey(rival, foreign)], ConsistentRead: true } } };
    store.on(BatchGetCommand, keys).rejects(new Error('throttled'));
    await consumeAgain(5, telemetry({ telemetry: [sample(foreign), sample(own)] }));
    expect([saidOf(own), saidOf(foreign)]).toEqual([[[undefined, 1]], [[FAILED, 1]]]);
  });

  test('is logged once though the dead-letter queue does not accept a malformed one at first', async () => {
    const deviceId = newDeviceId();
    givenDevices(deviceItem(deviceId));
    const body = telemetry({ telemetry: [{ ...sample(deviceId), battery: 'full' }] });
    queue.rejectsOnce(new Error('no queue'));
    await consumeAgain(1, body);
    expect(saidOf(deviceId)).toEqual([]);
    await consumeAgain(2, body);
    expect(saidOf(deviceId)).toEqual([['malformed: battery', 1]]);
  });

  test('is delivered and saved like published telemetry', async () => {
    const deviceId = newDeviceId();
    givenDevices(deviceItem(deviceId, { socketsUntil: later }));
    givenFollowers(deviceId, 'follower');
    expect(await consume(telemetry(sample(deviceId)))).toEqual(succeeded);
    expect(sentTo('follower')).toMatchObject([{ type: 'device.telemetry', deviceId, battery: { percent: 50 } }]);
    expect(updates('fleet')).toMatchObject([{ Key: fleetKey(acme, deviceId) }]);
  });

  test('of several organisations is saved for each owner', async () => {
    const foreign = id('device', rival);
    const own = newDeviceId();
    const keys = (organisation: string, deviceId: string) => ({
      RequestItems: { fleet: { Keys: [fleetKey(organisation, deviceId)], ConsistentRead: true } },
    });
    for (const [organisation, deviceId] of [
      [acme, own],
      [rival, foreign],
    ] as const)
      store
        .on(BatchGetCommand, keys(organisation, deviceId))
        .resolves({ Responses: { fleet: [deviceItem(deviceId, { organisation })] } })
        .on(UpdateCommand, { Key: fleetKey(organisation, deviceId) })
        .resolves({ Attributes: deviceItem(deviceId, { organisation }) });
    await consume(telemetry({ telemetry: [sample(own), sample(foreign)] }));
    expect(updates('fleet')).toHaveLength(2);
    expect(updates('fleet').map(({ Key }) => Key)).toEqual(
      expect.arrayContaining([fleetKey(acme, own), fleetKey(rival, foreign)]),
    );
  });

  test('that a replay repeats long after the event marks no device online', async () => {
    const deviceId = newDeviceId();
    givenDevices(deviceItem(deviceId, { reportedAt: at, lastState: JSON.stringify(sample(deviceId)) }));
    expect(await consume(telemetry(sample(deviceId)))).toEqual(succeeded);
    expect(updates('fleet')).toEqual([]);
    expect(otherLines()).toMatchObject([{ reason: 'late' }]);
  });

  test('with a malformed sample sends that to the dead-letter queue alone, with the reason, and applies the others', async () => {
    const deviceId = newDeviceId();
    givenDevices(deviceItem(deviceId));
    const malformed = { ...sample(deviceId), battery: { percent: 101 }, colour: 'red' };
    const foreign = sample('drone-7');
    const ahead = { ...sample(deviceId), timestamp: '2026-11-27T10:31:30.001Z' };
    const lost = { ...sample(deviceId), sensorPayload: JSON.parse('{"__proto__":{"gas":1}}') as unknown };
    const all = [malformed, sample(deviceId), foreign, ahead, lost];
    expect(await consume(telemetry({ telemetry: all }))).toEqual(succeeded);
    expect(
      updates('fleet').map(({ ExpressionAttributeValues }) =>
        storedState({ state: ExpressionAttributeValues?.[':state'] }),
      ),
    ).toMatchObject([{ timestamp: at }]);
    expect(deadLetters()).toEqual([
      [telemetry({ telemetry: [malformed] }), 'battery.percent must be 100 or less; colour unknown field'],
      [telemetry({ telemetry: [foreign] }), 'deviceId is not an identifier of this service'],
      [telemetry({ telemetry: [lost] }), 'sensorPayload.__proto__ is a name that programs lose: choose another'],
      [telemetry({ telemetry: [ahead] }), 'timestamp is more than 60 seconds in the future'],
    ]);
    expect(otherLines()).toMatchObject([{ level: 'WARN', reason: 'malformed', eventId: 'event-1' }]);
    expect(rejected()).toMatchObject([
      [
        'report.rejected',
        {
          details: [
            { path: 'telemetry.0.battery.percent' },
            { path: 'telemetry.0.colour' },
            { path: 'telemetry.2.deviceId' },
            { path: 'telemetry.4.sensorPayload.__proto__' },
            { path: 'telemetry.3.timestamp' },
          ],
        },
      ],
    ]);
  });

  describe('of a device that is not in the fleet yet', () => {
    test('is retried by itself, so that the others of the list are applied once, or set aside once', async () => {
      const [known, unknown] = [newDeviceId(), newDeviceId()];
      givenDevices(deviceItem(known));
      const malformed = { ...sample(known), colour: 'red' };
      const body = telemetry({ telemetry: [sample(unknown), malformed, sample(known)] });
      expect(await consumeAgain(4, body)).toEqual(succeeded);
      expect(updates('fleet')).toMatchObject([{ Key: fleetKey(acme, known) }]);
      expect(deadLetters()).toEqual([[telemetry({ telemetry: [malformed] }), 'colour unknown field']]);
      expect(retried()).toEqual([[telemetry({ telemetry: [sample(unknown)] }), 2]]);
    });

    test('stays in the queue when it is alone, or can not be put there by itself', async () => {
      const [known, unknown] = [newDeviceId(), newDeviceId()];
      givenDevices(deviceItem(known));
      const failed = { batchItemFailures: [{ itemIdentifier: 'm0' }] };
      expect(await consumeAgain(4, telemetry({ telemetry: [sample(unknown)] }))).toEqual(failed);
      expect(retried()).toEqual([]);
      queue.rejects(new Error('no queue'));
      expect(await consumeAgain(4, telemetry({ telemetry: [sample(unknown), sample(known)] }))).toEqual(failed);
    });

    test('is logged as early', async () => {
      givenDevices();
      await consume(telemetry(sample(newDeviceId())));
      expect(otherLines()).toMatchObject([{ level: 'INFO', eventId: 'event-1' }]);
    });

    test('is accepted once the device is registered', async () => {
      const deviceId = newDeviceId();
      givenDevices();
      const body = telemetry(sample(deviceId));
      expect(await consume(body)).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }] });
      givenDevices(deviceItem(deviceId));
      expect(await consumeAgain(2, body)).toEqual(succeeded);
      expect(updates('fleet')).toMatchObject([{ Key: fleetKey(acme, deviceId) }]);
    });

    test('is dropped when it is delivered for the fifth time, and logged with that reason', async () => {
      givenDevices();
      expect(await consumeAgain(5, telemetry(sample(newDeviceId())))).toEqual(succeeded);
      expect(deadLetters()).toEqual([]);
      expect(otherLines()).toMatchObject([{ level: 'WARN', type: 'device.telemetry.reported', reason: 'unknown' }]);
    });
  });
});

describe('A fleet event', () => {
  const group = { deviceGroupId: id('group'), name: 'North', description: 'Rim' };
  const device = { deviceId: id('device'), deviceGroupId: id('group'), name: 'Kestrel' };

  test('registers groups and devices', async () => {
    const events = [platformEvent('device-group.registered', group), platformEvent('device.registered', device)];
    expect(await consume(...events)).toEqual(succeeded);
    expect(updates('fleet')).toMatchObject([
      {
        Key: fleetKey(acme, id('group')),
        ExpressionAttributeValues: {
          ':name': 'North',
          ':description': 'Rim',
          ':eventTime': '2026-11-27T10:29:30.000Z',
        },
      },
      {
        Key: fleetKey(acme, id('device')),
        ExpressionAttributeValues: {
          ':name': 'Kestrel',
          ':deviceGroupId': id('group'),
          ':eventTime': '2026-11-27T10:29:30.000Z',
        },
      },
    ]);
  });

  test('registers the video stream of a device', async () => {
    const stream = id('stream');
    await consume(platformEvent('device.registered', { ...device, stream }));
    expect(updates('fleet')).toMatchObject([
      {},
      { Key: fleetKey(acme, stream), ExpressionAttributeValues: { ':deviceId': id('device'), ':videoStream': stream } },
    ]);
  });

  test.each(['stream-7', id('stream', rival), id('device')])(
    'with a stream that is none of the organisation (%s) is rejected, and registers nothing',
    async (stream) => {
      await consume(platformEvent('device.registered', { ...device, stream }));
      expect(updates('fleet')).toEqual([]);
      expect(rejected()).toMatchObject([['report.rejected', { reason: 'malformed', details: [{ path: 'stream' }] }]]);
    },
  );

  test('removes groups and devices', async () => {
    await consume(removal, platformEvent('device-group.removed', { deviceGroupId: id('group') }));
    expect(updates('fleet')).toMatchObject([removed, { ...removed, Key: fleetKey(acme, id('group')) }]);
  });

  test('that is older than the known state is dropped as late', async () => {
    store.on(UpdateCommand, { TableName: 'fleet' }).rejects(conditionFailed());
    expect(await consume(removal)).toEqual(succeeded);
    expect(deadLetters()).toEqual([]);
    expect(logLines()).toMatchObject([{ type: 'device.removed', reason: 'late' }]);
  });

  test('from a clock that is a little ahead keeps its time', async () => {
    await consume(removal.replace(time, '2026-11-27T10:31:30Z'));
    expect(updates('fleet')).toMatchObject([
      { ExpressionAttributeValues: { ':eventTime': '2026-11-27T10:31:30.000Z' } },
    ]);
  });
});

test.each([
  ['no JSON', 'hello'],
  ['no event', '{}'],
  ['of another source', JSON.stringify({ id: 'e', source: 'stranger', 'detail-type': 'job.status.reported', time })],
  ['without a valid time', removal.replace(time, 'noon')],
  ['of an unknown type', platformEvent('weather.reported', {})],
  ['of the type of an inherited property', platformEvent('toString', {})],
  ['without a job', platformEvent('job.status.reported', { status: 'QUEUED', at })],
  ['with an unknown status', platformEvent('job.status.reported', { jobId: id('job'), status: 'LOST', at })],
  [
    'with an invalid timestamp',
    platformEvent('job.status.reported', { jobId: id('job'), status: 'QUEUED', at: 'noon' }),
  ],
  ['with a text for samples', telemetry({ telemetry: 'none' })],
  ['without samples', telemetry({ telemetry: [] })],
  [
    'about a device with a foreign id',
    platformEvent('device.registered', { deviceId: 'd', deviceGroupId: id('group'), name: 'Kestrel' }),
  ],
  ['about a group with a foreign id', platformEvent('device-group.registered', { deviceGroupId: 'g', name: 'North' })],
])(
  'an event that is %s is sent to the dead-letter queue unchanged, and the event behind it is applied',
  async (_, body) => {
    expect(await consume(body, removal)).toEqual(succeeded);
    expect(deadLetters()).toEqual([[body, expect.stringMatching(/./)]]);
    expect(updates('fleet')).toMatchObject([removed]);
  },
);
