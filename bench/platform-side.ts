import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import {
  GetQueueAttributesCommand,
  ListQueuesCommand,
  SendMessageCommand,
  SQSClient,
  type QueueAttributeName,
} from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { PLATFORM, type InboundEventType } from '../contract/platform';
import type { AwsAccess } from '../local/stack-file';

/** Something that the platform says. */
export interface Report {
  readonly type: InboundEventType;
  readonly detail: object;
}

/** The bus of a running stack from the platform's side. */
export interface PlatformSide {
  /** Says something once: each time it is a new event. */
  say(report: Report): Promise<void>;
  /** Hands over an event as EventBridge does, which may do so more than once with the same id. */
  handOver(id: string, report: Report): Promise<void>;
  /** Whether all that was said has been worked on; what has to wait for something else counts as not. */
  isQuiet(): Promise<boolean>;
  /** Whether the simulated platform has noted a job that it was told of. */
  hasHeardOf(jobId: string): Promise<boolean>;
}

const found = (what: string, name: string | undefined): string => {
  if (name === undefined) throw new Error(`the stack has no ${what}`);
  return name;
};

/** Of a stack with a simulated fleet. */
export async function platformSide({
  endpointUrl,
  region,
  stackName,
  ...credentials
}: AwsAccess): Promise<PlatformSide> {
  const place = { endpoint: endpointUrl, region, credentials };
  const [bus, queues] = [new EventBridgeClient(place), new SQSClient(place)];
  const database = DynamoDBDocumentClient.from(new DynamoDBClient(place));
  const { Stacks = [] } = await new CloudFormationClient(place).send(
    new DescribeStacksCommand({ StackName: stackName }),
  );
  const outputs = Stacks[0]?.Outputs ?? [];
  const EventBusName = found('bus', outputs.find(({ OutputKey }) => OutputKey === 'PlatformBusArn')?.OutputValue);
  const { QueueUrls = [] } = await queues.send(new ListQueuesCommand());
  const QueueUrl = found(
    'queue',
    QueueUrls.find((url) => url.includes('PlatformIntegrationInboundEventsEvents')),
  );
  const { TableNames = [] } = await database.send(new ListTablesCommand());
  const TableName = found(
    'missions',
    TableNames.find((name) => name.includes('SimulatedFleetMissions')),
  );

  return {
    async say({ type, detail }) {
      const entry = { EventBusName, Source: PLATFORM, DetailType: type, Detail: JSON.stringify(detail) };
      await bus.send(new PutEventsCommand({ Entries: [entry] }));
    },
    async handOver(id, { type, detail }) {
      const event = { version: '0', id, source: PLATFORM, 'detail-type': type, time: new Date().toISOString(), detail };
      await queues.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(event) }));
    },
    async isQuiet() {
      const { Attributes = {} } = await queues.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
      );
      const names: QueueAttributeName[] = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'];
      return names.every((name) => Attributes[name] === '0');
    },
    async hasHeardOf(jobId) {
      const { Item } = await database.send(new GetCommand({ TableName, Key: { jobId }, ConsistentRead: true }));
      return Item !== undefined;
    },
  };
}
