import {
  DeleteRuleCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { outboundEvents, SERVICE } from '../../contract/platform';
import { clients } from '../api/client';
import { givenJob } from '../api/given';
import { access, queues } from '../api/stack/aws-access';
import { platformBus } from './platform-events';
import { until } from './until';

const [partner] = clients('platform-listening');
const events = () => new EventBridgeClient(access());
/** Another one at each run, since an account has a name of a queue again only a minute after it was deleted. */
const Name = `platform-test-${Date.now()}`;
const received = z.object({
  source: z.string(),
  'detail-type': z.string(),
  detail: z.looseObject({ jobId: z.optional(z.string()) }),
});

let EventBusName: string;
let QueueUrl: string;

/** The calls of docs/platform.md, "Listening", in its order. */
beforeAll(async () => {
  EventBusName = await platformBus();
  QueueUrl = (await queues().send(new CreateQueueCommand({ QueueName: Name }))).QueueUrl ?? '';
  const AttributeNames = ['QueueArn' as const];
  const { Attributes } = await queues().send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  const Arn = Attributes?.['QueueArn'] ?? '';
  const EventPattern = JSON.stringify({ source: [SERVICE] });
  const { RuleArn } = await events().send(new PutRuleCommand({ Name, EventBusName, EventPattern }));
  const Statement = {
    Effect: 'Allow',
    Principal: { Service: 'events.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: Arn,
    Condition: { ArnEquals: { 'aws:SourceArn': RuleArn } },
  };
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [Statement] });
  await queues().send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
  await events().send(new PutTargetsCommand({ Rule: Name, EventBusName, Targets: [{ Id: 'queue', Arn }] }));
});

afterAll(async () => {
  await events().send(new RemoveTargetsCommand({ Rule: Name, EventBusName, Ids: ['queue'] }));
  await events().send(new DeleteRuleCommand({ Name, EventBusName }));
  await queues().send(new DeleteQueueCommand({ QueueUrl }));
});

test('a rule of the platform receives the events of this service as they are documented', async () => {
  const { jobId } = await givenJob(partner);
  const event = await until(`an event of ${jobId}`, async () => {
    const command = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20, MaxNumberOfMessages: 10 });
    const { Messages = [] } = await queues().send(command);
    for (const { ReceiptHandle } of Messages)
      await queues().send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    // Of other tests there are other events meanwhile.
    return Messages.map(({ Body = '' }) => received.parse(JSON.parse(Body))).find(
      ({ detail }) => detail.jobId === jobId,
    );
  });
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
