import { Aws, Duration } from 'aws-cdk-lib/core';
import { EventSourceMapping, FilterRule } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { channels } from '../../contract/channels';
import { ApiFunction } from '../functions/api-function';
import { addChangeStream } from '../functions/change-stream';
import { deadLetterQueue } from '../functions/dead-letter-queue';
import type { Sockets } from './websocket-api';
import type { Tables } from '../tables';
import { failing, late, type AlarmDefinition } from '../observability/alarm-definition';

export interface FanOutProps {
  readonly tables: Tables;
  readonly sockets: Sockets;
}

/** What changes in the tables is said on the channels. */
export class FanOut extends Construct {
  /** Changes that no follower heard of. */
  readonly failures: Queue;
  readonly watched: readonly AlarmDefinition[];

  constructor(scope: Construct, id: string, { tables, sockets }: FanOutProps) {
    super(scope, id);
    this.failures = deadLetterQueue(this, 'Failures');
    const fanOut = new ApiFunction(this, 'StatusFanOut', {
      entry: 'stream/status-fan-out',
      description: 'Say on the channels what has changed',
      timeoutSeconds: 60,
    }).uses(tables, { jobs: ['get'], connections: ['query', 'delete', 'update'] });
    sockets.grantManage(fanOut);
    grantPublish(fanOut);
    const retain = this.retainLater({ tables }, fanOut);
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
  private retainLater({ tables }: Pick<FanOutProps, 'tables'>, fanOut: ApiFunction): ApiFunction {
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
