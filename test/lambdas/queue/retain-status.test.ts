import { ThrottlingException } from '@aws-sdk/client-iot-data-plane';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { toItem } from '../../../data/jobs/job-item';
import { readRetentionRequest, requestRetention } from '../../../data/connections/retained-status';
import { handler } from '../../../lambdas/queue/retain-status';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { store } from '../../data/fixtures/store';
import { broker, published } from '../../data/fixtures/topics';
import { logLines } from '../fixtures/log';
import { deviceItem, queue, shareItem } from '../fixtures/telemetry';

const job = { kind: 'job', id: id('job') } as const;
const group = { kind: 'group', id: id('group'), deviceId: id('device') } as const;
const retain = (...channels: object[]) =>
  handler({
    Records: channels.map((channel, index) => ({ messageId: `message-${index}`, body: JSON.stringify(channel) })),
  } as never);
/** The job when its state is read, each time, and until when somebody may be subscribed to its topic. */
const given = (...jobs: Parameters<typeof sampleJob>[0][]) => {
  givenAudience(inTenMinutes());
  const items = store.on(GetCommand, { TableName: 'jobs', ProjectionExpression: undefined });
  for (const change of jobs) items.resolvesOnce({ Item: toItem(acme, sampleJob(change)) });
  return items;
};
const inTenMinutes = () => Math.floor(Date.now() / 1000) + 600;
const givenAudience = (topicUntil?: number) =>
  store
    .on(GetCommand, { ProjectionExpression: 'socketsUntil, topicUntil, membersFollowedAt' })
    .resolves({ Item: { topicUntil } });
const states = () => published().map(({ text, ...how }) => ({ ...how, state: text && (JSON.parse(text) as object) }));

describe('A channel in the queue', () => {
  test.each(['QUEUED', 'COMPLETED'] as const)(
    'gets its current state retained while subscribed to: %s',
    async (status) => {
      given({ status }, { status });
      const cursor = `event-${acme}-000000000z`;
      await expect(retain({ ...job, cursor })).resolves.toEqual({ batchItemFailures: [] });
      expect(states()).toEqual([
        {
          topic: `${id('job')}/JOB/STATUS`,
          retain: true,
          qos: 1,
          expiresIn: expect.any(Number) as number,
          state: expect.objectContaining({ jobState: status, cursor }) as object,
        },
      ]);
      const [{ expiresIn = 0 } = {}] = published();
      expect(expiresIn).toBeGreaterThan(590);
      expect(expiresIn).toBeLessThanOrEqual(600);
    },
  );

  test.each([
    ['ever was', undefined],
    ['is any more', 1],
  ])('gets none when nobody %s subscribed: later states would not replace it', async (_, topicUntil) => {
    given({ status: 'QUEUED' });
    givenAudience(topicUntil);
    await expect(retain(job)).resolves.toEqual({ batchItemFailures: [] });
    expect(broker).not.toHaveReceivedAnyCommand();
  });

  test('of a share gets its state retained while subscribed to', async () => {
    givenAudience(inTenMinutes());
    store.on(GetCommand, { TableName: 'shares', ProjectionExpression: undefined }).resolves({ Item: shareItem() });
    await retain({ kind: 'share', id: id('share') });
    expect(states()).toMatchObject([
      { retain: true, expiresIn: expect.any(Number) as number, state: { shareState: 'ACTIVE' } },
    ]);
  });

  test('gets a state that changes meanwhile retained again, so that the older one does not stay', async () => {
    given({ status: 'QUEUED' }, { status: 'IN_PROGRESS', version: 3 }, { status: 'IN_PROGRESS', version: 3 });
    await retain(job);
    expect(states()).toMatchObject([{ state: { jobState: 'QUEUED' } }, { state: { jobState: 'IN_PROGRESS' } }]);
  });

  test('gets its state without a cursor when that of a number of viewers was to be retained', async () => {
    given({ status: 'QUEUED' }, { status: 'QUEUED' });
    await retain(job);
    expect(states()[0]?.state).not.toHaveProperty('cursor');
  });

  test('of a deleted job is cleared', async () => {
    store.on(GetCommand).resolves({});
    await retain(job);
    expect(published()).toMatchObject([{ text: '', retain: true }]);
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

  test('is retried when AWS IoT throttles it again, and blocks no other', async () => {
    const other = { kind: 'job', id: id('job', acme, '0'.repeat(26)) };
    store
      .on(GetCommand, { TableName: 'jobs' })
      .resolves({ Item: { ...toItem(acme, sampleJob()), topicUntil: inTenMinutes() } });
    broker
      .onAnyCommand()
      .rejectsOnce(new ThrottlingException({ message: 'busy', $metadata: {} }))
      .resolves({});
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
    expect(readRetentionRequest(JSON.stringify(group))).toEqual(group);
  });

  test.each(['', '{}', JSON.stringify({ kind: 'weather', id: 'x' })])('is refused when it is %j', (body) => {
    expect(() => readRetentionRequest(body)).toThrow();
  });

  test('needs the address of the queue', async () => {
    delete process.env['RETENTION_QUEUE_URL'];
    await expect(requestRetention(job)).rejects.toThrow('RETENTION_QUEUE_URL is not set');
  });
});
