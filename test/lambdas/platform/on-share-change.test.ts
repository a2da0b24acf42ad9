import { shareIdOf } from '../../../data/shares/share-id';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { CreateScheduleCommand, DeleteScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { mockClient } from 'aws-sdk-client-mock';
import { handler } from '../../../lambdas/platform/on-share-change.lambda';
import { record } from '../../data/fixtures/stream-record';
import { acme, sampleShare } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';
import { bus } from '../fixtures/telemetry';

Object.assign(process.env, {
  EXPIRY_SCHEDULE_GROUP: 'expiry',
  EXPIRY_ROLE_ARN: 'arn:aws:iam::123456789012:role/expiry',
  EXPIRY_FAILURES_ARN: 'arn:aws:sqs:eu-central-1:123456789012:failures',
  SHARE_END_QUEUE_ARN: 'arn:aws:sqs:eu-central-1:123456789012:ends',
});

// It ends so late that a queue can't hold its message until then, whenever the test runs.
const share = sampleShare({ expiresAt: '2999-01-01T00:00:00.000Z' });
const item = { ...share, organisation: acme };
const keys = { organisation: acme, shareCode: share.shareCode };
const creation = record(keys, undefined, item);
const deletion = record(keys, item, undefined);
const run = (...Records: object[]) => handler({ Records });
const succeeded = { batchItemFailures: [] };

const scheduler = mockClient(SchedulerClient);
beforeEach(() => {
  scheduler.reset();
  scheduler.resolves({});
});

/** Types of the events on the bus. */
const publishedTypes = () =>
  bus
    .commandCalls(PutEventsCommand)
    .flatMap(({ args: [{ input }] }) => (input.Entries ?? []).map(({ DetailType }) => DetailType));
/** Inputs of the schedules that were created. */
const schedules = () =>
  scheduler
    .commandCalls(CreateScheduleCommand)
    .map(({ args: [{ input }] }) => JSON.parse(input.Target?.Input ?? '') as unknown);
const shareSchedule = { shareCode: share.shareCode, expiresAt: share.expiresAt };

test('a new share gets a schedule for its end, and is published to the platform', async () => {
  expect(await run(creation)).toEqual(succeeded);
  expect(schedules()).toEqual([shareSchedule]);
  expect(publishedTypes()).toEqual(['share.created']);
});

test('a deleted share loses its schedule, and its end is published to the platform', async () => {
  await run(creation);
  const [created] = scheduler.commandCalls(CreateScheduleCommand);
  scheduler.resetHistory();
  expect(await run(deletion)).toEqual(succeeded);
  expect(scheduler.calls()).toHaveLength(1);
  expect(scheduler).toHaveReceivedCommandWith(DeleteScheduleCommand, {
    GroupName: 'expiry',
    Name: created?.args[0].input.Name,
  });
  expect(publishedTypes()).toEqual(['share.created', 'share.ended']);
});

test('a change of a share is neither scheduled nor published', async () => {
  expect(await run(record(keys, item, { ...item, currentViewers: 1 }))).toEqual(succeeded);
  expect(scheduler.calls()).toEqual([]);
  expect(bus.calls()).toEqual([]);
});

test.each<[string, () => unknown, () => unknown, unknown]>([
  ['the scheduler', () => scheduler.rejects(new Error('throttled')), publishedTypes, ['share.created']],
  ['the bus', () => bus.rejects(new Error('throttled')), schedules, [shareSchedule]],
])('a failure of %s does not stop the other step, and the record is retried', async (_, fail, otherStep, expected) => {
  fail();
  expect((await run(creation)).batchItemFailures).toHaveLength(1);
  expect(otherStep()).toEqual(expected);
  expect(logLines().filter(({ level }) => level === 'ERROR')).toMatchObject([
    { message: 'share change could not be processed', shareId: shareIdOf(share.shareCode), version: 1 },
  ]);
  expect(JSON.stringify(logLines())).not.toContain(share.shareCode);
});
