import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { MAX_RETRIES } from '../../contract/platform/event-retries';
import { PLATFORM } from '../../domain/values/service';
import { alarmOnLag } from '../functions/alarm-definitions';
import { ApiFunction } from '../functions/api-function';
import { deadLetterQueue } from '../functions/dead-letter-queue';
import type { TelemetryChannel } from '../channels/telemetry-channel';
import type { Tables } from '../foundation/tables';
import type { PlatformBus } from './platform-bus';

/**
 * Events from the platform. Each invokes the function, and waits in Lambda's own queue during a burst; one that can't
 * be applied is put into a queue by the function and retried from there, so that neither a burst nor a failure loses
 * any.
 */
export class InboundEvents extends Construct {
  readonly retries: Queue;

  constructor(scope: Construct, id: string, { platform, tables, telemetry }: PlatformIntegrationProps) {
    super(scope, id);
    const failures = deadLetterQueue(this, 'Failures', {
      urgency: 'page',
      impact: 'Partners do not see progress that the drone platform reported',
    });
    const retries = (this.retries = new Queue(this, 'Events', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(60),
      // As long as the archive of the bus.
      retentionPeriod: Duration.days(14),
      deadLetterQueue: { queue: failures, maxReceiveCount: MAX_RETRIES },
    }));
    const consume = new ApiFunction(this, 'ConsumePlatformEvents', {
      entry: 'platform/consume-platform-events',
      description: 'Apply events of the drone platform',
      timeoutSeconds: 30,
      // Of events that it could neither apply nor put into the queue.
      failures,
      environment: { DEAD_LETTER_QUEUE_URL: failures.queueUrl, RETRY_QUEUE_URL: retries.queueUrl },
    }).uses(tables, {
      jobs: ['get', 'query', 'update'],
      partners: ['scan'],
      requests: ['put', 'update'],
      commands: ['get', 'update'],
      // Open jobs are told with what they fly.
      missions: ['get'],
    });
    // Reports that were not applied are told.
    platform.grantPublish(consume);
    // Includes the permissions on the fleet table that registering devices needs.
    telemetry.grantAccept(consume);
    consume.allow(['sqs:SendMessage'], [retries.queueArn]);
    retries.grantConsumeMessages(consume.lambda);
    new Rule(this, 'FromPlatform', {
      description: 'Events of the drone platform',
      eventBus: platform.bus,
      eventPattern: { source: [PLATFORM] },
      // Of events that Lambda did not accept.
      targets: [new LambdaFunction(consume.lambda, { deadLetterQueue: failures })],
    });
    new EventSourceMapping(this, 'FromEvents', {
      target: consume.lambda,
      eventSourceArn: retries.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
    });
    alarmOnLag(consume, 'AsyncEventAge', {
      urgency: 'page',
      impact: 'Partners see progress and positions more than a minute late',
    });
  }
}

export interface PlatformIntegrationProps {
  readonly platform: PlatformBus;
  readonly tables: Tables;
  readonly telemetry: TelemetryChannel;
}
