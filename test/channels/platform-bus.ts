import {
  DeleteRuleCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
  PutEventsCommand,
} from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { SERVICE, PLATFORM } from '../../domain/values/service';
import { type OutboundEventType } from '../../domain/platform/outbound-events';
import { type InboundEventType } from '../../domain/platform/inbound-events';
import { access, stackName } from '../api/stack/aws-access';

/** A queue of the drone platform that receives the events of this service. */
export interface PlatformQueue {
  /** Whether the bus may send to it: while it may not, its events are lost. */
  connect(isConnected: boolean): Promise<void>;
  /** Takes up to ten events, parsed from JSON. @param waitSeconds how long it waits for the first one */
  take(waitSeconds: number): Promise<unknown[]>;
  remove(): Promise<void>;
}

/** {@link makeQueueOf} the bus of the stack under test. @param name of queue and rule @param types of the events; default: all */
export const makePlatformQueue = async (name: string, types?: readonly OutboundEventType[]): Promise<PlatformQueue> =>
  makeQueueOf(await platformBus(), name, access(), types);

/**
 * Makes a queue of the platform by the calls of docs/platform.md, "Listening", in its order.
 * @param EventBusName the bus of a stack
 * @param Name of queue and rule
 * @param options of SDK clients for that stack
 * @param types of the events that it receives; default: all
 */
export async function makeQueueOf(
  EventBusName: string,
  Name: string,
  options: ReturnType<typeof access>,
  types?: readonly OutboundEventType[],
): Promise<PlatformQueue> {
  const [events, queues] = [new EventBridgeClient(options), new SQSClient(options)];
  const { QueueUrl = '' } = await queues.send(new CreateQueueCommand({ QueueName: Name }));
  const AttributeNames = ['QueueArn' as const];
  const { Attributes } = await queues.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  const Arn = Attributes?.['QueueArn'] ?? '';
  const EventPattern = JSON.stringify({ source: [SERVICE], ...(types && { 'detail-type': types }) });
  const { RuleArn } = await events.send(new PutRuleCommand({ Name, EventBusName, EventPattern }));
  const Statement = {
    Effect: 'Allow',
    Principal: { Service: 'events.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: Arn,
    Condition: { ArnEquals: { 'aws:SourceArn': RuleArn } },
  };
  async function connect(isConnected: boolean): Promise<void> {
    const Policy = isConnected ? JSON.stringify({ Version: '2012-10-17', Statement: [Statement] }) : '';
    await queues.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
  }
  await connect(true);
  await events.send(new PutTargetsCommand({ Rule: Name, EventBusName, Targets: [{ Id: 'queue', Arn }] }));
  return {
    connect,
    async take(WaitTimeSeconds) {
      const command = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds, MaxNumberOfMessages: 10 });
      const { Messages = [] } = await queues.send(command);
      for (const { ReceiptHandle } of Messages)
        await queues.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      return Messages.map(({ Body = '' }) => JSON.parse(Body) as unknown);
    },
    async remove() {
      await events.send(new RemoveTargetsCommand({ Rule: Name, EventBusName, Ids: ['queue'] }));
      await events.send(new DeleteRuleCommand({ Name, EventBusName }));
      await queues.send(new DeleteQueueCommand({ QueueUrl }));
    },
  };
}

const received = z.object({ source: z.string(), 'detail-type': z.string(), detail: z.looseObject({}) });

/** An event of this service, as the platform receives it. */
export type ReceivedEvent = z.output<typeof received>;

/**
 * Listens to the bus as the platform does, for all tests of a file.
 * @param waitSeconds how long a call waits for an event
 * @returns reads the events that have come since the last call, those of other tests too
 */
export function listenAsPlatform(waitSeconds = 20): () => Promise<ReceivedEvent[]> {
  let queue: PlatformQueue | undefined;
  beforeAll(async () => {
    // Another one at each run, since an account has a name of a queue again only a minute after it was deleted.
    queue = await makePlatformQueue(`platform-test-${process.pid}-${Date.now()}`);
  });
  afterAll(() => queue?.remove());
  return async () => ((await queue?.take(waitSeconds)) ?? []).map((event) => received.parse(event));
}

let knownBus: Promise<string> | undefined;

/** ARN of the bus of the stack under test. */
const platformBus = () => (knownBus ??= findBus());

async function findBus(): Promise<string> {
  const { Stacks = [] } = await new CloudFormationClient(access()).send(
    new DescribeStacksCommand({ StackName: stackName() }),
  );
  const found = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'PlatformBusArn')?.OutputValue;
  if (found === undefined) throw new Error('the stack has no bus');
  return found;
}

/** Publishes a new event as the drone platform. `Time` is the time of the event. */
export async function publishPlatformEvent(type: InboundEventType, detail: object, Time: Date): Promise<void> {
  const EventBusName = await platformBus();
  const entry = { EventBusName, Source: PLATFORM, DetailType: type, Detail: JSON.stringify(detail), Time };
  const { FailedEntryCount } = await new EventBridgeClient(access()).send(new PutEventsCommand({ Entries: [entry] }));
  if (FailedEntryCount !== 0) throw new Error(`${type} was not accepted`);
}
