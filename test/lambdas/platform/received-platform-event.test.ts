import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { BatchGetCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { toItem } from '../../../data/jobs/job-item';
import type { JobStatus } from '../../../domain/jobs/job-lifecycle';
import { conditionFailed, store } from '../../data/fixtures/store';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';
import { givenStore, consume, deadLetters, platformEvent, receive, retried } from '../fixtures/platform-events';
import { deviceItem, newDeviceId, queue } from '../fixtures/telemetry';

const report = (status: JobStatus) =>
  platformEvent('job.status.reported', { jobId: id('job'), status, at: '2026-11-27T10:30:00.000Z' });
const updates = () => store.commandCalls(UpdateCommand, { TableName: 'jobs' }).map(({ args: [{ input }] }) => input);
const changed = { ':status': 'QUEUED', ':changeId': 'platform-event-1' };
const unanswered = () => new Error('throttled');

const queued = toItem(acme, sampleJob({ status: 'QUEUED' }));

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
