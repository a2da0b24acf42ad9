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
import { PLATFORM } from '../../../domain/values/service';
import { type InboundEvent } from '../../../domain/platform/inbound-events';
import type { AwsAccess } from 'cloud-assembly-runner';
import { findBus } from './bus';

/** The bus of a running stack, used as the platform. */
export interface PlatformSide {
  /** Publishes a report as a new event. */
  publish(report: InboundEvent): Promise<void>;
  /** Delivers an event to the queue, like one that is retried, possibly more than once with the same id. */
  deliver(id: string, report: InboundEvent): Promise<void>;
  /** Whether all published events have been processed; those waiting for a retry have not. */
  isIdle(): Promise<boolean>;
  /** Whether the simulated platform has stored a job. */
  hasMission(jobId: string): Promise<boolean>;
}

const expectFound = (what: string, name: string | undefined): string => {
  if (name === undefined) throw new Error(`the stack has no ${what}`);
  return name;
};

/** For a stack with a simulated fleet. */
export async function connectAsPlatform(access: AwsAccess): Promise<PlatformSide> {
  const { bus: EventBusName, options } = await findBus(access);
  const [bus, queues] = [new EventBridgeClient(options), new SQSClient(options)];
  const database = DynamoDBDocumentClient.from(new DynamoDBClient(options));
  const { QueueUrls = [] } = await queues.send(new ListQueuesCommand());
  const QueueUrl = expectFound(
    'queue',
    QueueUrls.find((url) => /PlatformIntegrationInboundEvents(?!Failures)/.test(url)),
  );
  const { TableNames = [] } = await database.send(new ListTablesCommand());
  const TableName = expectFound(
    'missions',
    TableNames.find((name) => name.includes('SimulatedFleetMissions')),
  );

  return {
    async publish({ type, detail }) {
      const entry = { EventBusName, Source: PLATFORM, DetailType: type, Detail: JSON.stringify(detail) };
      await bus.send(new PutEventsCommand({ Entries: [entry] }));
    },
    async deliver(id, { type, detail }) {
      const event = { version: '0', id, source: PLATFORM, 'detail-type': type, time: new Date().toISOString(), detail };
      await queues.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(event) }));
    },
    async isIdle() {
      const { Attributes = {} } = await queues.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
      );
      const names = (['', 'NotVisible', 'Delayed'] as const).map(
        (state): QueueAttributeName => `ApproximateNumberOfMessages${state}`,
      );
      return names.every((name) => Attributes[name] === '0');
    },
    async hasMission(jobId) {
      const { Item } = await database.send(new GetCommand({ TableName, Key: { jobId }, ConsistentRead: true }));
      return Item !== undefined;
    },
  };
}
