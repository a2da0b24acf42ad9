import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { fromItem, toItem } from '../../../data/jobs/job-item';
import { scheduleTakeDeadline } from '../../../data/jobs/take-deadline';
import type { Job } from '../../../domain/jobs/job';
import { handler } from '../../../lambdas/platform/consume-platform-events.lambda';
import { storeOnEngine } from '../../data/fixtures/engine';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import '../fixtures/log';

const engine = storeOnEngine('jobs');
const queue = mockClient(SQSClient);

/** Lets the deadline of the job pass, as the queue delivers it. */
async function passDeadline() {
  process.env['RETRY_QUEUE_URL'] = 'https://sqs.test/retries';
  queue.reset();
  queue.on(SendMessageCommand).resolves({});
  await scheduleTakeDeadline(id('job'));
  const body = queue.commandCalls(SendMessageCommand)[0]?.args[0].input.MessageBody ?? '';
  const record = { messageId: 'message-1', body, attributes: { ApproximateReceiveCount: '1' } };
  return handler({ Records: [record] });
}
const given = (job: Partial<Job>) => engine.put('jobs', toItem(acme, sampleJob(job)));
const now = async () => fromItem((await engine.all('jobs'))[0]);

test('a job that the platform has not queued fails, and the platform is told', async () => {
  await given({ deviceId: id('device') });
  expect(await passDeadline()).toEqual({ batchItemFailures: [] });
  const job = await now();
  expect(job?.job).toMatchObject({ status: 'FAILED', reason: 'NOT_TAKEN', version: 4 });
  expect(job?.changedBy).toBeUndefined();
  await passDeadline();
  expect((await now())?.job.version).toBe(4);
});

test.each(['QUEUED', 'IN_PROGRESS', 'CANCELLED', 'COMPLETED'] as const)('a %s job stays as it is', async (status) => {
  await given({ status });
  expect(await passDeadline()).toEqual({ batchItemFailures: [] });
  expect((await now())?.job).toMatchObject({ status, version: 3 });
});

test('a job that was never created, or was deleted, is nothing to fail', async () => {
  expect(await passDeadline()).toEqual({ batchItemFailures: [] });
  expect(await engine.all('jobs')).toEqual([]);
});
