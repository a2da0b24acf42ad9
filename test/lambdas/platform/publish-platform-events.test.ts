import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { CreateScheduleCommand, DeleteScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { mockClient } from 'aws-sdk-client-mock';
import { digestShareCode } from '../../../data/shares/share-id';
import { handler } from '../../../lambdas/platform/on-share-change.lambda';
import { record, jobRecord } from '../../data/fixtures/stream-record';
import { acme, sampleShare, sampleJob } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';
import { bus } from '../fixtures/telemetry';
import { jobToItem } from '../../../data/jobs/jobs';
import type { StreamRecord } from '../../../data/channels/stream-records';
import { PLATFORM } from '../../../domain/values/service';
import { handler as publishEvents } from '../../../lambdas/platform/publish-platform-events.lambda';

describe('A change of a share', () => {
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
  ])(
    'a failure of %s does not stop the other step, and the record is retried',
    async (_, fail, otherStep, expected) => {
      fail();
      expect((await run(creation)).batchItemFailures).toHaveLength(1);
      expect(otherStep()).toEqual(expected);
      expect(logLines().filter(({ level }) => level === 'ERROR')).toMatchObject([
        { message: 'share change could not be processed', shareId: digestShareCode(share.shareCode), version: 1 },
      ]);
      expect(JSON.stringify(logLines())).not.toContain(share.shareCode);
    },
  );
});

describe('A change for the platform', () => {
  const run = (...Records: StreamRecord[]) => publishEvents({ Records });
  const done = { batchItemFailures: [] };
  const job = sampleJob({ version: 1 });
  const queued = sampleJob({ version: 2, status: 'QUEUED' });

  /** Type and detail of all events that were put on the bus. */
  const publishedEvents = () =>
    bus.commandCalls(PutEventsCommand).flatMap(({ args: [{ input }] }) =>
      (input.Entries ?? []).map(({ DetailType, Detail = '' }) => ({
        type: DetailType,
        detail: JSON.parse(Detail) as Record<string, unknown>,
      })),
    );

  test('publishes one event per change of a job, in order, each with its own id', async () => {
    expect(await run(jobRecord(undefined, job, 1), jobRecord(job, queued, 2), jobRecord(queued, undefined, 3))).toEqual(
      done,
    );
    expect(publishedEvents().map(({ type, detail }) => [type, detail['eventId']])).toEqual([
      ['job.created', `${job.jobId}/1`],
      ['job.updated', `${job.jobId}/2`],
      ['job.deleted', `${job.jobId}/3`],
    ]);
  });

  test('publishes an equal event with the same id when a record is retried', async () => {
    const records = [jobRecord(undefined, job), jobRecord(job, queued)];
    await run(...records);
    await run(...records);
    const [first, second, ...again] = publishedEvents();
    expect(again).toEqual([first, second]);
    expect(first?.detail['eventId']).not.toBe(second?.detail['eventId']);
  });

  test('publishes a partner’s changes before and after one that the platform reported, and not that one', async () => {
    const key = { organisation: acme, jobId: job.jobId };
    const [created, reported] = [jobToItem(acme, job), { ...jobToItem(acme, queued), changedBy: PLATFORM }];
    const renamed = jobToItem(acme, sampleJob({ version: 3, status: 'QUEUED', name: 'Other' }));
    const changes = [undefined, created, reported, renamed, { ...reported, version: 4 }, undefined];
    const records = changes.slice(1).map((after, index) => record(key, changes[index], after, index));
    expect(await run(...records)).toEqual(done);
    expect(publishedEvents().map(({ type, detail }) => [type, detail['version']])).toEqual([
      ['job.created', 1],
      ['job.updated', 3],
      ['job.deleted', 5],
    ]);
    expect(JSON.stringify(publishedEvents())).not.toContain('changedBy');
  });

  test('is retried from the first record that the bus does not accept', async () => {
    bus.on(PutEventsCommand).rejects(new Error('throttled'));
    expect(await run(jobRecord(undefined, job, 7), jobRecord(job, queued, 8))).toEqual({
      batchItemFailures: [{ itemIdentifier: '7' }],
    });
    expect(publishedEvents()).toHaveLength(1);
  });
});
