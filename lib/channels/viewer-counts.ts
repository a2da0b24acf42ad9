import { Duration, Validations } from 'aws-cdk-lib/core';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ApiFunction } from '../functions/api-function';
import type { Tables } from '../foundation/tables';
import { countErrors } from '../functions/error-alarm';

export interface ViewerCountsProps {
  readonly tables: Tables;
}

/**
 * Updates `currentViewers` of each share at most once a second, so that viewers who connect and disconnect often do not cause a
 * message to all followers each time.
 */
export class ViewerCounts extends Construct {
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
      reason: 'The heartbeat repeats a lost count within a minute.',
    });
    const count = new ApiFunction(this, 'CountViewers', {
      entry: 'shares/count-viewers',
      description: 'Update the number of viewers of shares',
    }).uses(tables, { connections: ['update', 'query'], shares: ['update'] });
    this.queue.grantConsumeMessages(count.lambda);
    new EventSourceMapping(this, 'FromChanged', {
      target: count.lambda,
      eventSourceArn: this.queue.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
    });
    countErrors(count, 'status');
  }

  /** Lets a function request a count: every function that adds or deletes connections. */
  grantRequest(requester: ApiFunction): void {
    requester.lambda.addEnvironment('VIEWER_COUNT_QUEUE_URL', this.queue.queueUrl);
    requester.allow(['sqs:SendMessage'], [this.queue.queueArn]);
  }
}
