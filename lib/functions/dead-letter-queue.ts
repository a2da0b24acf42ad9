import { Duration, Validations } from 'aws-cdk-lib/core';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { defineAlarm, period, type Suffering } from './alarm-definitions';

/**
 * Creates a dead-letter queue that keeps messages for two weeks, with the alarm `<Scope>Failures` on any message in it.
 * @param suffering effect of a message in it on partners, and whether they suffer now
 */
export function deadLetterQueue(scope: Construct, id: string, { urgency, impact }: Suffering): Queue {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  Validations.of(queue).acknowledge({ id: 'AwsSolutions-SQS3', reason: 'It is a dead-letter queue itself.' });
  defineAlarm(scope, {
    name: `${scope.node.id}Failures`,
    urgency,
    group: 'queues',
    impact,
    metric: queue.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' }),
    threshold: 1,
  });
  return queue;
}
