import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { isTrailing, scheduleTrailingSave, readTrailing } from '../../../data/fleet/trailing-states';
import { acme, id } from '../../domain/fixtures/samples';
import { queue } from '../../lambdas/fixtures/telemetry';

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
