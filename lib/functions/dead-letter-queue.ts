import { Duration } from 'aws-cdk-lib/core';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Validations } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/** A queue for what could not be done; it is looked into when its alarm fires, and kept for two weeks until then. */
export function deadLetterQueue(scope: Construct, id: string): Queue {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  Validations.of(queue).acknowledge({ id: 'AwsSolutions-SQS3', reason: 'It is where failures go itself.' });
  return queue;
}

/** A queue for failures, with what partners suffer from what is in it. */
export interface Failures {
  readonly queue: Queue;
  readonly impact: string;
}
