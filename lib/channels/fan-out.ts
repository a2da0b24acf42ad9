import { Aws, Duration } from 'aws-cdk-lib/core';
import { EventSourceMapping, FilterRule } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Contract } from '../../contract/contract';
import type { TableUses } from '../../contract/terms/endpoint';
import { ApiFunction } from '../functions/api-function';
import { addChangeStream, commandKeys } from '../functions/change-stream';
import { deadLetterQueue } from '../functions/dead-letter-queue';
import { grantBroadcast } from './share-broadcast';
import type { Snapshots } from './snapshots';
import type { WebSocketChannels } from './websocket-api';
import type { Tables } from '../foundation/tables';
import { alarmOnLag } from '../functions/alarm-definitions';
import { alarmOnErrors, countErrors } from '../functions/error-alarm';

export interface FanOutProps {
  readonly channels: Contract['channels'];
  readonly tables: Tables;
  readonly sockets: WebSocketChannels;
  readonly snapshots: Snapshots;
  /** How long the event log keeps an event, and how long it keeps those of a job for its timeline. */
  readonly eventRetentionDays: number;
  readonly flightRetentionDays: number;
}

/** Maximum of Lambda (API reference, CreateEventSourceMapping, ParallelizationFactor). */
const MAX_BATCHES_PER_SHARD = 10;

/** What has the stream publish the state of a channel again; it is not read then. */
const ofStream: Readonly<Record<string, TableUses>> = { job: { jobs: ['update'] }, share: { shares: ['update'] } };

/** Publishes changes in the tables to the status channels. */
export class FanOut extends Construct {
  private readonly failures: Queue;

  constructor(scope: Construct, id: string, { channels, tables, sockets, snapshots, ...retention }: FanOutProps) {
    super(scope, id);
    this.failures = deadLetterQueue(this, 'Failures', {
      // It has waited for 15 minutes, of which `StatusFanOutLate` tells; the next change carries the whole state.
      urgency: 'ticket',
      impact: 'Partners missed a change that they follow, or get no state when they subscribe over MQTT',
    });
    const fanOut = new ApiFunction(this, 'StatusFanOut', {
      entry: 'channels/status-fan-out',
      description: 'Publish changes to the status channels',
      timeoutSeconds: 60,
      environment: {
        EVENT_RETENTION_DAYS: String(retention.eventRetentionDays),
        FLIGHT_RETENTION_DAYS: String(retention.flightRetentionDays),
      },
    }).uses(tables, {
      jobs: ['get'],
      shares: ['get'],
      fleet: ['get'],
      connections: ['get', 'query', 'delete', 'update'],
      events: ['query', 'put'],
    });
    sockets.grantManage(fanOut);
    // The sockets of a share that has ended.
    snapshots.grantRequest(fanOut);
    grantPublish(fanOut, channels);
    grantBroadcast(fanOut);
    this.retainLater({ channels, tables }, fanOut);
    const { jobs, commands, shares, fleet } = tables;
    addChangeStream({ from: jobs, to: fanOut, failures: this.failures });
    addChangeStream({
      from: commands,
      to: fanOut,
      failures: this.failures,
      only: { dynamodb: commandKeys },
      batchesPerShard: MAX_BATCHES_PER_SHARD,
    });
    addChangeStream({
      from: shares,
      to: fanOut,
      failures: this.failures,
      // The mark of an expired share says why it is deleted a moment later.
      only: { dynamodb: { NewImage: { expired: { BOOL: FilterRule.notExists() } } } },
    });
    addChangeStream({
      from: fleet,
      to: fanOut,
      failures: this.failures,
      only: {
        // Nobody needs the record of a quiet write. A deleted item has no new image, and so no such attribute.
        dynamodb: {
          Keys: { id: { S: FilterRule.beginsWith('device-') } },
          NewImage: { quiet: { S: FilterRule.notExists() } },
        },
      },
      // A shard carries up to 1,000 states a second, which one batch after the other could not publish.
      batchesPerShard: MAX_BATCHES_PER_SHARD,
    });

    alarmOnLag(fanOut, 'IteratorAge', {
      urgency: 'page',
      impact: 'Partners get changes more than a minute late',
    });
    countErrors(fanOut, 'status');
    alarmOnErrors(this, 'status', {
      urgency: 'page',
      impact: 'Partners get changes late or not over MQTT, or outdated numbers of viewers',
    });
  }

  /**
   * AWS IoT retains one message per topic and second, and limits retained messages per account. A message that it does not
   * retain at once is retried from a queue, so that it delays no other change.
   */
  private retainLater({ channels, tables }: Pick<FanOutProps, 'channels' | 'tables'>, fanOut: ApiFunction): void {
    const queue = new Queue(this, 'Retention', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(60),
      retentionPeriod: Duration.days(1),
      deadLetterQueue: { queue: this.failures, maxReceiveCount: 5 },
    });
    fanOut.lambda.addEnvironment('RETENTION_QUEUE_URL', queue.queueUrl);
    fanOut.allow(['sqs:SendMessage'], [queue.queueArn]);
    const retain = new ApiFunction(this, 'RetainStatus', {
      entry: 'channels/retain-status',
      description: 'Retain over MQTT the state of a channel that AWS IoT did not retain at once',
      timeoutSeconds: 30,
    }).uses(tables, ...Object.entries(channels).map(([kind, channel]) => ofStream[kind] ?? channel.tables.state));
    grantPublish(retain, channels);
    queue.grantConsumeMessages(retain.lambda);
    new EventSourceMapping(this, 'FromRetention', {
      target: retain.lambda,
      eventSourceArn: queue.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
    });
  }
}

/** Lets a function publish to the topics of all channels, with or without retain. */
function grantPublish(publisher: ApiFunction, channels: Contract['channels']): void {
  const topics = Object.entries(channels).map(
    ([kind, { topicSuffix }]) =>
      `arn:${Aws.PARTITION}:iot:${Aws.REGION}:${Aws.ACCOUNT_ID}:topic/${kind}-*/${topicSuffix}`,
  );
  publisher.allow(['iot:Publish', 'iot:RetainPublish'], topics, 'Each job, device group and share has its own topic.');
}
