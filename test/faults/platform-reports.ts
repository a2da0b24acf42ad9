import { setTimeout as pause } from 'node:timers/promises';
import { GetQueueAttributesCommand, ListQueuesCommand } from '@aws-sdk/client-sqs';
import { givenJob } from '../api/given';
import { queues } from '../api/stack/aws-access';
import { publishPlatformEvent } from '../channels/platform-events';
import { until } from '../channels/until';
import { injectFaults } from './inject-faults';
import type { Trial } from './trial';

/** How many reports wait in the queue for their first retry. */
async function delayed(): Promise<number> {
  const { QueueUrls = [] } = await queues().send(new ListQueuesCommand());
  const QueueUrl = QueueUrls.find((url) => /PlatformIntegrationInboundEvents(?!Failures)/.test(url));
  const AttributeNames = ['ApproximateNumberOfMessagesDelayed' as const];
  const { Attributes } = await queues().send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  return Number(Attributes?.['ApproximateNumberOfMessagesDelayed']);
}

/** Reports a status that can't be applied at once: it is applied from the queue. */
export const reportDuring: Trial = async (partner, faults) => {
  const { jobId } = await givenJob(partner);
  injectFaults(faults);
  await publishPlatformEvent(
    'job.status.reported',
    { jobId, status: 'QUEUED', at: new Date().toISOString() },
    new Date(),
  );
  await until('a report in the queue', async () => ((await delayed()) === 1 ? true : undefined));
  injectFaults({});
  const read = async () => (await partner.call('GET /v3/jobs/{jobId}', { path: { jobId } })).body.job;
  expect(await read()).toMatchObject({ status: 'PENDING', version: 1 });
  return async () => {
    const applied = async () => {
      await pause(500);
      return (await read()).status === 'QUEUED' ? true : undefined;
    };
    await until('the report', applied, undefined, 100_000);
    expect(await read()).toMatchObject({ version: 2 });
  };
};
