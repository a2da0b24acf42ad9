import { EventBridgeClient, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { AwsAccess } from 'cloud-assembly-runner';
import * as z from 'zod';
import { SERVICE } from '../../contract/platform';
import { waitUntil } from './channel-listeners';

/** Hears the commands on the bus of a running stack, as the drone platform does. */
export interface BusListener {
  /** Waits for a command. @returns when it came (`performance.now()`) */
  heard(commandId: string): Promise<number>;
  close(): Promise<void>;
}

const event = z.object({ detail: z.object({ commandId: z.string() }) });
const NAME = 'bench-listener';

/** Makes a queue and a rule (docs/platform.md, "Listening"), which end with the stack. */
export async function listenOnBus({ endpointUrl, region, stackName, ...credentials }: AwsAccess): Promise<BusListener> {
  const options = { endpoint: endpointUrl, region, credentials };
  const [events, queues] = [new EventBridgeClient(options), new SQSClient(options)];
  const { Stacks } = await new CloudFormationClient(options).send(new DescribeStacksCommand({ StackName: stackName }));
  const EventBusName = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'PlatformBusArn')?.OutputValue;
  const { QueueUrl } = await queues.send(new CreateQueueCommand({ QueueName: NAME }));
  const { Attributes } = await queues.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
  const Arn = Attributes?.['QueueArn'];
  const EventPattern = JSON.stringify({ source: [SERVICE], 'detail-type': ['control.requested'] });
  const { RuleArn } = await events.send(new PutRuleCommand({ Name: NAME, EventBusName, EventPattern }));
  const Statement = {
    Effect: 'Allow',
    Principal: { Service: 'events.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: Arn,
    Condition: { ArnEquals: { 'aws:SourceArn': RuleArn } },
  };
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [Statement] });
  await queues.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
  await events.send(new PutTargetsCommand({ Rule: NAME, EventBusName, Targets: [{ Id: 'queue', Arn }] }));

  const cameAt = new Map<string, number>();
  const stopping = new AbortController();
  const receiving = (async () => {
    while (!stopping.signal.aborted) {
      const command = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1, MaxNumberOfMessages: 10 });
      const { Messages = [] } = await queues.send(command);
      const now = performance.now();
      for (const { Body = '' } of Messages) {
        const { commandId } = event.parse(JSON.parse(Body)).detail;
        if (!cameAt.has(commandId)) cameAt.set(commandId, now);
      }
    }
  })();
  return {
    async heard(commandId) {
      await waitUntil(() => cameAt.has(commandId));
      return cameAt.get(commandId) ?? NaN;
    },
    async close() {
      stopping.abort();
      await receiving;
    },
  };
}
