import { ThrottlingException } from '@aws-sdk/client-iot-data-plane';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { toItem } from '../../../data/jobs/job-item';
import { readRetentionRequest, requestRetention } from '../../../data/channels/retained-status';
import { handler } from '../../../lambdas/channels/retain-status.lambda';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { storeOnEngine } from '../../data/fixtures/engine';
import { store } from '../../data/fixtures/store';
import { broker, published } from '../../data/fixtures/topics';
import { logLines } from '../fixtures/log';
import { deviceItem, queue, shareItem } from '../fixtures/telemetry';

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
    ['job', 'jobs', { jobId: id('job') }, { ...toItem(acme, sampleJob()), topicUntil: 4e9 }],
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
