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
import * as z from 'zod/mini';
import { SERVICE } from '../../contract/platform';
import { access, queues } from '../api/stack/aws-access';
import { platformBus } from './platform-events';

const received = z.object({ source: z.string(), 'detail-type': z.string(), detail: z.looseObject({}) });

/** An event of this service, as the platform receives it. */
export type ReceivedEvent = z.output<typeof received>;

/**
 * Listens to the bus as the platform does, for all tests of a file, by the calls of docs/platform.md, "Listening", in its order.
 * @returns reads the events that have come since the last call, those of other tests too; it waits up to 20 s for one
 */
export function listenAsPlatform(): () => Promise<ReceivedEvent[]> {
  /** Another one at each run, since an account has a name of a queue again only a minute after it was deleted. */
  const Name = `platform-test-${process.pid}-${Date.now()}`;
  let EventBusName: string;
  let QueueUrl: string;
  const events = () => new EventBridgeClient(access());

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

  return async () => {
    const command = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20, MaxNumberOfMessages: 10 });
    const { Messages = [] } = await queues().send(command);
    for (const { ReceiptHandle } of Messages)
      await queues().send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    return Messages.map(({ Body = '' }) => received.parse(JSON.parse(Body)));
  };
}
