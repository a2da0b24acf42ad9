import { stopClock } from '../fixtures/clock';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { connection, socketCalls } from '../../data/fixtures/sockets';
import { PublishCommand } from '@aws-sdk/client-iot-data-plane';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { Job } from '../../../domain/jobs/job';
import { store } from '../../data/fixtures/store';
import * as streams from '../../data/fixtures/stream-record';
import { broker, published } from '../../data/fixtures/topics';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { logLines, written } from '../fixtures/log';
import { run, unique } from '../fixtures/status-fan-out';
import { later, queue } from '../fixtures/telemetry';

const { record } = streams;
/** Changes of a job whose topic has subscribers. */
const jobRecord = (before: Job | undefined, after: Job | undefined, number?: number) =>
  streams.jobRecord(before, after, number, later);
const job = (number: number, change: Partial<Job> = {}) =>
  sampleJob({ jobId: id('job', acme, unique(number)), ...change });
const publishedMessages = () => published().map(({ text }) => JSON.parse(text) as { jobId: string; sequence: number });

describe('A batch of changes', () => {
  test('is published, each change on its own channel, those of one job in order', async () => {
    const [one, other] = [job(1), job(2)];
    const steps = (of: Job, from: number) => [
      jobRecord(of, { ...of, status: 'QUEUED', version: 4 }, from),
      jobRecord({ ...of, status: 'QUEUED' }, { ...of, status: 'FAILED', version: 5 }, from + 1),
    ];
    await expect(run(...steps(one, 1), ...steps(other, 3))).resolves.toEqual({ batchItemFailures: [] });
    for (const { jobId } of [one, other])
      expect(
        publishedMessages()
          .filter((message) => message.jobId === jobId)
          .map(({ sequence }) => sequence),
      ).toEqual([4, 5]);
  });

  test('is published with the same text again when it is retried', async () => {
    // The time until a retained message expires is what is left of the second.
    stopClock(new Date());
    const records = [jobRecord(job(1), { ...job(1), status: 'QUEUED', version: 4 })];
    await run(...records);
    const once = published();
    await run(...records);
    expect(published()).toEqual([...once, ...once]);
  });

  test('without a change of status publishes and reads nothing', async () => {
    await run(jobRecord(job(1), { ...job(1), name: 'Another', version: 4 }));
    expect(broker).not.toHaveReceivedAnyCommand();
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test('with a record that cannot be parsed sends it to the dead-letter queue, and publishes the others', async () => {
    const key = { organisation: acme, jobId: id('job', acme, unique(9)) };
    const secret = 'kx9mhush7q2v5w8y1z3a4b6c';
    const poison = record(key, undefined, { ...key, status: 'FLYING', name: secret }, 2);
    await expect(run(jobRecord(undefined, job(1), 1), poison, jobRecord(undefined, job(3), 3))).resolves.toEqual({
      batchItemFailures: [],
    });
    expect(publishedMessages().map(({ jobId }) => jobId)).toEqual([job(1).jobId, job(3).jobId]);
    expect(queue).toHaveReceivedCommandWith(SendMessageCommand, { QueueUrl: 'https://queue.test/failures' });
    expect(logLines().filter(({ level }) => level === 'ERROR')).toMatchObject([
      { sequenceNumber: '2', jobId: id('job', acme, unique(9)) },
    ]);
    expect(logLines().filter(({ level }) => level === 'INFO')).toMatchObject(
      [1, 3].map((number) => ({ message: 'published', jobId: job(number).jobId, version: job(number).version })),
    );
    expect(written.join() + JSON.stringify(queue.calls().map(({ args }) => args[0].input))).not.toContain(secret);
  });

  test('is retried from the first change that could not be published', async () => {
    const records = [1, 2, 3].map((number) => jobRecord(undefined, job(number), number));
    broker.on(PublishCommand).resolvesOnce({}).rejectsOnce(new Error('throttled')).resolves({});
    await expect(run(...records)).resolves.toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
  });

  test('is published when one socket has expired', async () => {
    store
      .on(QueryCommand)
      .resolves({ Items: [connection({ expiresAt: 1 }), connection({ connectionId: 'socket-2' })] });
    await expect(run(jobRecord(undefined, job(1)))).resolves.toEqual({ batchItemFailures: [] });
    expect(socketCalls()).toHaveLength(2);
  });
});

test('changes of groups and streams are not published', async () => {
  const group = { kind: 'group', deviceGroupId: id('group'), name: 'North', description: '' };
  await run(record({ organisation: acme, id: id('group') }, undefined, group));
  expect(broker).not.toHaveReceivedAnyCommand();
});
