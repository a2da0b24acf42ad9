import { Duration, Validations } from 'aws-cdk-lib/core';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ApiFunction } from '../functions/api-function';
import type { Tables } from '../tables';
import { failing, type AlarmDefinition } from '../observability/alarm-definition';

export interface ViewerCountsProps {
  readonly tables: Tables;
}

/**
 * Notes in shares how many viewers they have, at most once a second each: viewers may come and go as often as they like
 * without a word to everybody who follows the share.
 */
export class ViewerCounts extends Construct {
  readonly watched: readonly AlarmDefinition[];
  private readonly queue: Queue;

  constructor(scope: Construct, id: string, { tables }: ViewerCountsProps) {
    super(scope, id);
    this.queue = new Queue(this, 'Changed', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(60),
      retentionPeriod: Duration.minutes(5),
    });
    Validations.of(this.queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'What it loses is counted again by the heartbeat, within a minute.',
    });
    const count = new ApiFunction(this, 'CountViewers', {
      entry: 'queue/count-viewers',
      description: 'Note in shares how many viewers they have',
    }).uses(tables, { connections: ['update'], shares: ['update'] });
    this.queue.grantConsumeMessages(count.lambda);
    new EventSourceMapping(this, 'FromChanged', {
      target: count.lambda,
      eventSourceArn: this.queue.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
    });
    this.watched = [failing(count, 'Partners see an old number of viewers of their shares')];
  }

  /** Lets a function have the viewers of a share counted, which whoever lets sockets in or forgets them does. */
  grantAsk(asker: ApiFunction): void {
    asker.lambda.addEnvironment('VIEWER_COUNT_QUEUE_URL', this.queue.queueUrl);
    asker.may(['sqs:SendMessage'], [this.queue.queueArn]);
  }
}
