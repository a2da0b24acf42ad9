import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import type { StreamRecord } from '../../../data/store/stream-records';
import { handler } from '../../../lambdas/stream/publish-platform-events';
import { jobRecord, record } from '../../data/fixtures/stream-record';
import { acme, id, sampleJob, sampleShare } from '../../domain/fixtures/samples';
import '../fixtures/log';
import { bus } from '../fixtures/telemetry';

const run = (...Records: StreamRecord[]) => handler({ Records } as unknown as DynamoDBStreamEvent);
const done = { batchItemFailures: [] };
const job = sampleJob({ version: 1 });
const queued = sampleJob({ version: 2, status: 'QUEUED' });

/** Type and detail of all that the platform was told. */
const told = () =>
  bus.commandCalls(PutEventsCommand).flatMap(({ args: [{ input }] }) =>
    (input.Entries ?? []).map(({ DetailType, Detail = '' }) => ({
      type: DetailType,
      detail: JSON.parse(Detail) as Record<string, unknown>,
    })),
  );

test('A job is told once for each change, in order, and each change has an id of its own', async () => {
  expect(await run(jobRecord(undefined, job, 1), jobRecord(job, queued, 2), jobRecord(queued, undefined, 3))).toEqual(
    done,
  );
  expect(told().map(({ type, detail }) => [type, detail['eventId']])).toEqual([
    ['job.created', `${job.jobId}/1`],
    ['job.updated', `${job.jobId}/2`],
    ['job.deleted', `${job.jobId}/3`],
  ]);
});

test('A record that is handed over again is told again in the same words, with the same id', async () => {
  const share = { ...sampleShare(), organisation: acme, ttl: 1 };
  const records = [jobRecord(job, queued), record({ organisation: acme, shareCode: id('share') }, undefined, share)];
  await run(...records);
  await run(...records);
  const [first, second, ...again] = told();
  expect(again).toEqual([first, second]);
  expect(first?.detail['eventId']).not.toBe(second?.detail['eventId']);
});

test('What the bus does not take comes again from there', async () => {
  bus.on(PutEventsCommand).rejects(new Error('throttled'));
  expect(await run(jobRecord(undefined, job, 7), jobRecord(job, queued, 8))).toEqual({
    batchItemFailures: [{ itemIdentifier: '7' }],
  });
  expect(told()).toHaveLength(1);
});
