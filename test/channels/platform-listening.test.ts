import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { outboundEvents } from '../../domain/platform/outbound-events';
import { clients } from '../api/client';
import { givenJob } from '../api/given';
import { listenAsPlatform } from './platform-bus';
import { until } from './until';

const [partner] = clients('platform-listening');
const receive = listenAsPlatform();

test('a rule of the platform receives the events of this service as they are documented', async () => {
  const { jobId } = await givenJob(partner);
  const event = await until(`an event of ${jobId}`, async () =>
    (await receive()).find(({ detail }) => detail['jobId'] === jobId),
  );
  expect(event).toMatchObject({ source: 'drone-mission-api', 'detail-type': 'job.created', detail: { version: 1 } });
  expect(outboundEvents['job.created'].parse(event.detail)).toEqual(event.detail);
});

test('docs/platform.md, "Listening", has these calls', () => {
  const page = readFileSync(join(__dirname, '../../docs/platform.md'), 'utf8');
  const [, section = ''] = /^### Listening$([^]*)/m.exec(page) ?? [];
  const calls = [...section.matchAll(/\b(sqs|events) ([a-z]+-[a-z-]+)/g)].map(
    ([, service = '', operation = '']) => `${service} ${operation}`,
  );
  expect(calls).toEqual([
    'sqs create-queue',
    'sqs get-queue-attributes',
    'events put-rule',
    'sqs set-queue-attributes',
    'events put-targets',
    'sqs receive-message',
    'sqs delete-message',
    'events remove-targets',
    'events delete-rule',
    'sqs delete-queue',
  ]);
});
