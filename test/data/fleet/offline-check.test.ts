import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { readOfflineCheck, scheduleOfflineCheck } from '../../../data/fleet/offline-check';
import { acme, id } from '../../domain/fixtures/samples';
import { queue } from '../../lambdas/fixtures/telemetry';

const watched = { organisation: acme, deviceId: id('device') };

test.each([
  [30_000, 29],
  [29_001, 29],
  [29_000, 28],
  [1, 1],
])(
  'a check after %d ms is a message with a delay of %d s, since the batching window takes another second',
  async (delay, DelaySeconds) => {
    await scheduleOfflineCheck(watched, delay);
    const MessageBody = JSON.stringify(watched);
    expect(queue).toHaveReceivedCommandTimes(SendMessageCommand, 1);
    const QueueUrl = 'https://queue.test/silence';
    expect(queue).toHaveReceivedCommandWith(SendMessageCommand, { QueueUrl, MessageBody, DelaySeconds });
    expect(readOfflineCheck(JSON.parse(MessageBody))).toEqual(watched);
  },
);

test.each(['', {}, [], null, { deviceId: id('device') }])(
  'the message %j is refused as no offline check',
  (message) => {
    expect(() => readOfflineCheck(message)).toThrow();
  },
);

test('scheduleOfflineCheck fails without DEVICE_CHECK_QUEUE_URL', async () => {
  const { DEVICE_CHECK_QUEUE_URL } = process.env;
  delete process.env['DEVICE_CHECK_QUEUE_URL'];
  await expect(scheduleOfflineCheck(watched, 1)).rejects.toThrow('DEVICE_CHECK_QUEUE_URL is not set');
  process.env['DEVICE_CHECK_QUEUE_URL'] = DEVICE_CHECK_QUEUE_URL;
});
