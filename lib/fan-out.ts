import { Aws, Duration } from 'aws-cdk-lib/core';
import { EventSourceMapping, FilterRule } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { channels } from '../contract/channels';
import { ApiFunction } from './api-function';
import { addChangeStream } from './change-stream';
import { failureQueue } from './failure-queue';
import type { Sockets } from './sockets';
import type { Tables } from './tables';
import { failing, late, type Watched } from './watched';

export interface FanOutProps {
  readonly tables: Tables;
  readonly sockets: Sockets;
  /** Folder that the bundles of all functions are in. */
  readonly bundles: string;
}

/** What changes in the tables is said on the channels. */
export class FanOut extends Construct {
  static readonly entries = ['stream/status-fan-out', 'queue/retain-status'];

  /** Changes that no follower heard of. */
  readonly failures: Queue;
  readonly watched: readonly Watched[];

  constructor(scope: Construct, id: string, { tables, sockets, bundles }: FanOutProps) {
    super(scope, id);
    this.failures = failureQueue(this, 'Failures');
    const fanOut = new ApiFunction(this, 'StatusFanOut', {
      entry: 'stream/status-fan-out',
      bundles,
      description: 'Say on the channels what has changed',
      timeoutSeconds: 60,
    }).uses(tables, { jobs: ['get'], connections: ['query', 'delete', 'update'] });
    sockets.grantManage(fanOut);
    grantPublish(fanOut);
    const retain = this.retainLater({ tables, bundles }, fanOut);
    const { jobs, shares, fleet } = tables;
    addChangeStream({ from: jobs, to: fanOut, failures: this.failures });
    addChangeStream({ from: shares, to: fanOut, failures: this.failures });
    addChangeStream({
      from: fleet,
      to: fanOut,
      failures: this.failures,
      only: { dynamodb: { Keys: { id: { S: FilterRule.beginsWith('device-') } } } },
    });

    this.watched = [
      late(fanOut, 'Partners hear of changes more than a minute late'),
      failing(fanOut, 'Changes reach partners late, or not on their topic'),
      failing(retain, 'Partners who subscribe over MQTT get an old state, or none'),
    ];
  }

  /**
   * AWS IoT retains one message of a topic a second, and a limited number of an account. What it does not retain at once
   * waits in a queue, so that no other change waits for it.
   */
  private retainLater({ tables, bundles }: Pick<FanOutProps, 'tables' | 'bundles'>, fanOut: ApiFunction): ApiFunction {
    const queue = new Queue(this, 'Retention', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(60),
      retentionPeriod: Duration.days(1),
      deadLetterQueue: { queue: this.failures, maxReceiveCount: 5 },
    });
    fanOut.lambda.addEnvironment('RETENTION_QUEUE_URL', queue.queueUrl);
    fanOut.may(['sqs:SendMessage'], [queue.queueArn]);
    const retain = new ApiFunction(this, 'RetainStatus', {
      entry: 'queue/retain-status',
      bundles,
      description: 'Retain the state of a channel that could not be retained at once',
      timeoutSeconds: 30,
    }).uses(tables, { jobs: ['get'], shares: ['get'], fleet: ['query'] });
    grantPublish(retain);
    queue.grantConsumeMessages(retain.lambda);
    new EventSourceMapping(this, 'FromRetention', {
      target: retain.lambda,
      eventSourceArn: queue.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
    });
    return retain;
  }
}

/** Lets a function publish to the topics of all channels, and retain there. */
function grantPublish(publisher: ApiFunction): void {
  const topics = Object.entries(channels).map(
    ([kind, { topicSuffix }]) =>
      `arn:${Aws.PARTITION}:iot:${Aws.REGION}:${Aws.ACCOUNT_ID}:topic/${kind}-*/${topicSuffix}`,
  );
  publisher.may(
    ['iot:Publish', 'iot:RetainPublish'],
    topics,
    'Each job, device group and share has a topic of its own.',
  );
}
