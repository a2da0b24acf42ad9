import { BatchWriteCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { ThrottlingException } from '@aws-sdk/client-iot-data-plane';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { connection, socketCalls } from '../../data/fixtures/sockets';
import { jobToItem } from '../../../data/jobs/jobs';
import type { DeviceState } from '../../../domain/telemetry/sample';
import { store } from '../../data/fixtures/store';
import { record } from '../../data/fixtures/stream-record';
import { broker, published } from '../../data/fixtures/topics';
import { acme, id, rival, sampleJob } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';
import { run, unique } from '../fixtures/status-fan-out';
import { givenFollowedGroup, later, deviceItem, queue, shareItem } from '../fixtures/telemetry';
import { readRetentionRequest, requestRetention } from '../../../data/channels/retention-requests';
import { handler } from '../../../lambdas/channels/retain-status.lambda';
import { storeOnEngine } from '../../data/fixtures/engine';

describe('A report of a device', () => {
  const at = '2026-11-27T10:30:00.000Z';
  const device = (state?: Partial<DeviceState>) => ({
    kind: 'device',
    deviceId: id('device'),
    deviceGroupId: id('group'),
    name: 'North 1',
    status: 'online',
    version: 7,
    ...(state && { lastState: JSON.stringify({ timestamp: at, ...state }) }),
  });
  const report = (before: object, after: object) =>
    run(record({ organisation: acme, id: id('device') }, { ...before }, { ...after }));
  const before = device({ timestamp: '2026-11-27T10:29:59.000Z' });
  const running = sampleJob({ status: 'IN_PROGRESS' });
  const followedJob = { ...jobToItem(acme, running), socketsUntil: later, topicUntil: later };
  const readsOfJobs = () =>
    store.commandCalls(GetCommand, { TableName: 'jobs' }).map(({ args: [{ input }] }) => input.ConsistentRead);
  const givenJob = (Item?: object) => store.on(GetCommand, { TableName: 'jobs' }).resolves(Item ? { Item } : {});
  beforeEach(() => {
    givenFollowedGroup();
  });
  const topics = () => published().map(({ topic, retain }) => `${topic} ${retain ? 'retained' : 'transient'}`);
  const ofGroup = `${id('group')}/DEVICE/STATUS transient`;

  test('goes to its group, and to the job that it runs, both without retention', async () => {
    givenJob(followedJob);
    await report(before, device({ jobId: id('job'), droneState: 'WAYPOINT' }));
    expect(topics()).toEqual([ofGroup, `${id('job')}/JOB/STATUS transient`]);
    expect(JSON.parse(published()[1]?.text ?? '')).toMatchObject({
      jobState: 'IN_PROGRESS',
      sequence: running.version,
      deviceId: id('device'),
      droneState: 'WAYPOINT',
      timestamp: at,
    });
  });

  test('is not yet published to a job that has just changed: the change comes through another stream', async () => {
    const reported = (ms: number) => ({
      ...device({ jobId: id('job') }),
      reportedAt: new Date(Date.parse(running.updatedAt) + ms).toISOString(),
    });
    givenJob(followedJob);
    await report(before, reported(999));
    expect(topics()).toEqual([ofGroup]);
    await report(before, reported(1000));
    expect(topics().at(-1)).toBe(`${id('job')}/JOB/STATUS transient`);
  });

  test('with a position costs one read of the job, and is recorded by whoever accepted it, not here', async () => {
    givenJob(followedJob);
    const navigation = {
      position: { type: 'Point' as const, coordinates: [8.5, 47.4, 480] as [number, number, number] },
    };
    const takeOff = { timestamp: '2026-11-27T10:29:00.000Z' };
    await report({ ...before, takeOff }, { ...device({ jobId: id('job'), navigation }), takeOff });
    expect(readsOfJobs()).toEqual([false]);
    const tables = store.calls().map(({ args: [{ input }] }) => (input as { TableName?: string }).TableName);
    expect(tables).not.toContain('flights');
    expect(store).not.toHaveReceivedCommand(BatchWriteCommand);
  });

  test.each<[string, object | undefined, string]>([
    ['is not running', jobToItem(acme, sampleJob({ status: 'QUEUED' })), id('job')],
    ['was deleted', undefined, id('job')],
    ['another device flies', jobToItem(acme, { ...running, deviceId: id('device', acme, unique(2)) }), id('job')],
  ])('does not go to a job that %s', async (_, Item, jobId) => {
    givenJob(Item);
    await report(before, device({ jobId }));
    expect(topics()).toEqual([ofGroup]);
  });

  test.each([id('job', rival), 'job', id('share'), '__proto__'])(
    'does not go to %s, without a read: it is no job of its organisation',
    async (jobId) => {
      await report(before, device({ jobId }));
      expect(topics()).toEqual([ofGroup]);
      expect(readsOfJobs()).toEqual([]);
    },
  );

  test('without a new state is not published', async () => {
    const same = device({ jobId: id('job') });
    await report(same, { ...same, reportedAt: at });
    expect(broker).not.toHaveReceivedAnyCommand();
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test('costs one read of the followers of its group, however many devices report', async () => {
    store.on(QueryCommand).resolves({ Items: [connection()] });
    const records = [1, 2, 3].map((number) => {
      const deviceId = id('device', acme, unique(number));
      return record({ organisation: acme, id: deviceId }, { ...before, deviceId }, { ...device({}), deviceId }, number);
    });
    await run(...records);
    expect(store).toHaveReceivedCommandTimes(QueryCommand, 1);
    expect(socketCalls()).toHaveLength(3);
    await run(...records);
    expect(store).toHaveReceivedCommandTimes(QueryCommand, 2);
  });

  describe('that nobody follows', () => {
    const deviceGroupId = id('group', acme, unique(7));
    const elsewhere = (item: object) => ({ ...item, deviceGroupId });

    test('is neither published nor sent, and the followers are not read', async () => {
      await report(elsewhere(before), elsewhere(device({ droneState: 'HOVER' })));
      expect(broker).not.toHaveReceivedAnyCommand();
      expect(store).not.toHaveReceivedCommand(QueryCommand);
    });

    test('is published when the device comes online with it', async () => {
      await report(elsewhere({ ...before, status: 'offline' }), elsewhere(device({})));
      expect(topics()).toEqual([`${deviceGroupId}/DEVICE/STATUS retained`]);
    });
  });

  test('is sent to the media only that are followed', async () => {
    store.on(QueryCommand).resolves({ Items: [connection()] });
    givenJob({ ...jobToItem(acme, running), topicUntil: 1, socketsUntil: later });
    await report(before, device({ jobId: id('job') }));
    expect(topics()).toEqual([ofGroup]);
    expect(socketCalls()).toHaveLength(2);
    givenJob({ ...jobToItem(acme, running), topicUntil: later });
    await report(before, device({ jobId: id('job') }));
    expect(topics()).toEqual([ofGroup, ofGroup, `${id('job')}/JOB/STATUS transient`]);
    expect(socketCalls()).toHaveLength(3);
  });

  test('is retained when the device comes online with it', async () => {
    await report({ ...before, status: 'offline' }, device({}));
    expect(topics()).toEqual([`${id('group')}/DEVICE/STATUS retained`]);
  });
});

describe('Retain status', () => {
  const engine = storeOnEngine('jobs', 'shares');
  const job = { kind: 'job', id: id('job') } as const;
  const group = { kind: 'group', id: id('group'), deviceId: id('device') } as const;
  const retain = (...channels: object[]) =>
    handler({
      Records: channels.map((channel, index) => ({ messageId: `message-${index}`, body: JSON.stringify(channel) })),
    } as never);
  const states = () => published().map(({ text, ...how }) => ({ ...how, state: text && (JSON.parse(text) as object) }));

  describe('A channel in the queue', () => {
    test.each([
      ['job', 'jobs', { jobId: id('job') }, { ...jobToItem(acme, sampleJob()), topicUntil: 4e9 }],
      ['share', 'shares', { shareCode: id('share') }, { ...shareItem(), topicUntil: 4e9 }],
    ] as const)(
      'of a %s has its state published again by the stream, in order with its changes',
      async (kind, table, key, item) => {
        await engine.put(table, item);
        const channel = { kind, id: id(kind) };
        await expect(retain(channel)).resolves.toEqual({ batchItemFailures: [] });
        await expect(retain({ ...channel, attempt: 2 })).resolves.toEqual({ batchItemFailures: [] });
        expect(broker).not.toHaveReceivedAnyCommand();
        expect(await engine.get(table, { organisation: acme, ...key })).toEqual({
          ...item,
          publishedAgain: expect.stringMatching(/^3 \d{13}$/) as string,
        });
      },
    );

    test.each(['job', 'share'] as const)('of a deleted %s is cleared, and nothing is written', async (kind) => {
      await retain({ kind, id: id(kind) });
      expect(published()).toMatchObject([{ text: '', retain: true }]);
      expect(await engine.all(kind === 'job' ? 'jobs' : 'shares')).toEqual([]);
    });

    test('goes to the dead-letter queue once AWS IoT has refused it for two minutes', async () => {
      await expect(retain({ ...job, attempt: 7 })).resolves.toEqual({
        batchItemFailures: [{ itemIdentifier: 'message-0' }],
      });
      expect(store).not.toHaveReceivedAnyCommand();
    });

    test.each([
      [
        'the state of the device that has changed',
        [deviceItem(id('device', acme, '0'.repeat(26))), deviceItem(id('device'))],
      ],
      ['the state of another device when that one was removed', [deviceItem(id('device', acme, '0'.repeat(26)))]],
    ])('of a group gets %s', async (_, devices) => {
      const item = { kind: 'group', deviceGroupId: id('group'), name: 'North', description: '' };
      store.on(QueryCommand).resolves({ Items: [item, ...devices] });
      await retain(group);
      expect(states()).toMatchObject([{ state: { deviceId: devices.at(-1)?.['deviceId'] } }]);
    });

    test('of a group gets a state that changes meanwhile retained again, so that the older one does not stay', async () => {
      const item = { kind: 'group', deviceGroupId: id('group'), name: 'North', description: '' };
      const device = (version: number) => ({ Items: [item, deviceItem(id('device'), { version })] });
      const reads = store.on(QueryCommand);
      // Of each state nine partitions are read.
      let count = 0;
      reads.callsFake(() => device(++count > 9 ? 4 : 3));
      await retain(group);
      expect(states()).toMatchObject([{ state: { sequence: 3 } }, { state: { sequence: 4 } }]);
    });

    test('is retried when AWS IoT throttles it again, and blocks no other', async () => {
      const other = { kind: 'job', id: id('job', acme, '0'.repeat(26)) };
      // Whichever of both comes first: they are retained beside each other.
      broker.onAnyCommand().callsFake(({ topic }: { topic: string }) => {
        if (topic.includes(job.id)) throw new ThrottlingException({ message: 'busy', $metadata: {} });
        return {};
      });
      await expect(retain(job, other)).resolves.toEqual({ batchItemFailures: [{ itemIdentifier: 'message-0' }] });
      expect(logLines()).toMatchObject([{ level: 'WARN', message: 'state could not be retained' }]);
    });
  });

  describe('The message of a channel', () => {
    test('is delayed until AWS IoT accepts the next retained message of the topic', async () => {
      process.env['RETENTION_QUEUE_URL'] = 'https://queue.test/retention';
      await requestRetention(group);
      expect(queue).toHaveReceivedCommandWith(SendMessageCommand, {
        QueueUrl: 'https://queue.test/retention',
        DelaySeconds: 2,
        MessageBody: JSON.stringify(group),
      });
      expect(readRetentionRequest(JSON.stringify(group))).toEqual({ ...group, attempt: 0 });
    });

    test.each(['', '{}', JSON.stringify({ kind: 'weather', id: 'x' })])('is refused when it is %j', (body) => {
      expect(() => readRetentionRequest(body)).toThrow();
    });

    test('needs the address of the queue', async () => {
      delete process.env['RETENTION_QUEUE_URL'];
      await expect(requestRetention(job)).rejects.toThrow('RETENTION_QUEUE_URL is not set');
    });
  });
});
