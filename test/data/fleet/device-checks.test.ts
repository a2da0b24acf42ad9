import { SendMessageCommand } from '@aws-sdk/client-sqs';
import {
  isTrailing,
  readOfflineCheck,
  readTrailing,
  scheduleOfflineCheck,
  scheduleTrailingSave,
} from '../../../data/fleet/device-checks';
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

const at = new Date('2026-11-27T10:30:00.000Z');
const samples = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    deviceId: id('device', acme, String(index).padStart(26, '0')),
    timestamp: at.toISOString(),
  }));
const sent = () =>
  queue
    .commandCalls(SendMessageCommand)
    .map(({ args: [{ input }] }) => [input.DelaySeconds, JSON.parse(input.MessageBody ?? '')] as const);

test.each([
  [0, []],
  [1, [1]],
  [20, [20]],
  [40, [20, 20]],
])('%d samples are sent in messages of %j, delayed by a second, and parsed again', async (count, lengths) => {
  await scheduleTrailingSave(acme, samples(count), at);
  expect(sent().map(([delay]) => delay)).toEqual(lengths.map(() => 1));
  const read = sent().map(([, message]) => readTrailing(message));
  expect(sent().every(([, message]) => isTrailing(message))).toBe(true);
  expect(read.map(({ trailing }) => trailing.length)).toEqual(lengths);
  expect(read.flatMap(({ trailing }) => trailing)).toEqual(samples(count));
  for (const message of read) expect(message).toMatchObject({ organisation: acme, at: at.toISOString() });
});

test('forty samples of maximum size fit into messages of 256 kB', async () => {
  const large = samples(40).map((sample) => ({
    ...sample,
    sensorPayload: { x: 'x'.repeat(8100) },
    jobId: '\u0001'.repeat(256),
  }));
  await scheduleTrailingSave(acme, large, at);
  for (const {
    args: [{ input }],
  } of queue.commandCalls(SendMessageCommand))
    expect(Buffer.byteLength(input.MessageBody ?? '')).toBeLessThan(256 * 1024);
});

test.each([null, 'trailing', {}, [], { organisation: acme, deviceId: 'x' }])(
  '%j is not a message with trailing states',
  (message) => {
    expect(isTrailing(message)).toBe(false);
  },
);

test.each([{ trailing: [] }, { organisation: acme, at: at.toISOString(), trailing: [{ deviceId: 'x' }] }])(
  'the message %j is refused as malformed',
  (message) => {
    expect(isTrailing(message)).toBe(true);
    expect(() => readTrailing(message)).toThrow();
  },
);
