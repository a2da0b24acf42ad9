import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { toItem } from '../../../data/jobs/job-item';
import type { StreamRecord } from '../../../data/channels/stream-records';
import { PLATFORM } from '../../../domain/values/service';
import { handler } from '../../../lambdas/platform/publish-platform-events.lambda';
import { jobRecord, record } from '../../data/fixtures/stream-record';
import { acme, id, sampleJob, sampleShare } from '../../domain/fixtures/samples';
import '../fixtures/log';
import { bus } from '../fixtures/telemetry';

const run = (...Records: StreamRecord[]) => handler({ Records } as unknown as DynamoDBStreamEvent);
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
  const share = { ...sampleShare(), organisation: acme, ttl: 1 };
  const records = [jobRecord(job, queued), record({ organisation: acme, shareCode: id('share') }, undefined, share)];
  await run(...records);
  await run(...records);
  const [first, second, ...again] = publishedEvents();
  expect(again).toEqual([first, second]);
  expect(first?.detail['eventId']).not.toBe(second?.detail['eventId']);
});

test('publishes a partner’s changes before and after one that the platform reported, and not that one', async () => {
  const key = { organisation: acme, jobId: job.jobId };
  const [created, reported] = [toItem(acme, job), { ...toItem(acme, queued), changedBy: PLATFORM }];
  const renamed = toItem(acme, sampleJob({ version: 3, status: 'QUEUED', name: 'Other' }));
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
