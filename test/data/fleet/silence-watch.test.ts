import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { readWatch, watchAgain } from '../../../data/fleet/silence-watch';
import { acme, id } from '../../domain/fixtures/samples';
import { queue } from '../../lambdas/fixtures/telemetry';

const watched = { organisation: acme, deviceId: id('device') };

test.each([
  [30_000, 29],
  [29_001, 29],
  [29_000, 28],
  [1, 1],
])(
  'A look after %d ms is a message that is held back for %d s, and for the second in which messages are gathered.',
  async (delay, DelaySeconds) => {
    await watchAgain(watched, delay);
    const MessageBody = JSON.stringify(watched);
    expect(queue).toHaveReceivedCommandTimes(SendMessageCommand, 1);
    const QueueUrl = 'https://queue.test/silence';
    expect(queue).toHaveReceivedCommandWith(SendMessageCommand, { QueueUrl, MessageBody, DelaySeconds });
    expect(readWatch(JSON.parse(MessageBody))).toEqual(watched);
  },
);

test.each(['', {}, [], null, { deviceId: id('device') }])('The message %j is not ours.', (message) => {
  expect(() => readWatch(message)).toThrow();
});

test('It is an error when the function was not bound to the queue.', async () => {
  const { SILENCE_QUEUE_URL } = process.env;
  delete process.env['SILENCE_QUEUE_URL'];
  await expect(watchAgain(watched, 1)).rejects.toThrow('SILENCE_QUEUE_URL is not set');
  process.env['SILENCE_QUEUE_URL'] = SILENCE_QUEUE_URL;
});
