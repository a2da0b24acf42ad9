import { Duration } from 'aws-cdk-lib/core';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { EventSourceMapping, FilterRule } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { PLATFORM } from '../../domain/values/service';
import { MAX_RETRIES } from '../../contract/platform/event-retries';
import { ApiFunction } from '../functions/api-function';
import { addChangeStream, commandKeys } from '../functions/change-stream';
import { deadLetterQueue } from '../functions/dead-letter-queue';
import type { PlatformBus } from './platform-bus';
import type { Tables } from '../foundation/tables';
import type { TelemetryChannel } from '../channels/telemetry-channel';
import { alarmOnLag } from '../functions/alarm-definitions';

export interface PlatformIntegrationProps {
  readonly platform: PlatformBus;
  readonly tables: Tables;
  readonly telemetry: TelemetryChannel;
}

/** Events to and from the drone platform, over its bus. */
export class PlatformIntegration extends Construct {
  private readonly inbound: InboundEvents;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: PlatformIntegrationProps,
  ) {
    super(scope, id);
    const { publish } = new OutboundEvents(this, 'OutboundEvents', props);
    this.inbound = new InboundEvents(this, 'InboundEvents', props);
    this.grantDeadlines(publish);
  }

  /** Lets a function set deadlines of jobs and commands, in the queue of retries. */
  grantDeadlines(fn: ApiFunction): void {
    const { queueArn, queueUrl } = this.inbound.retries;
    fn.allow(['sqs:SendMessage'], [queueArn]);
    fn.lambda.addEnvironment('RETRY_QUEUE_URL', queueUrl);
  }

  /** Lets a function ask the platform, over its bus. */
  grantAsk(fn: ApiFunction): void {
    this.props.platform.grantPublish(fn);
  }
}

/** Jobs and commands to the platform. Share events are published by the function that schedules their expiry. */
class OutboundEvents extends Construct {
  readonly publish: ApiFunction;

  constructor(scope: Construct, id: string, { platform, tables }: PlatformIntegrationProps) {
    super(scope, id);
    const failures = deadLetterQueue(this, 'Failures', {
      urgency: 'page',
      impact: 'Partners’ jobs are not flown, or not stopped',
    });
    const publish = (this.publish = new ApiFunction(this, 'PublishPlatformEvents', {
      entry: 'platform/publish-platform-events',
      description: 'Publish changes of jobs, and commands, to the drone platform',
      timeoutSeconds: 60,
    }).uses(tables, {
      missions: ['get'],
      commands: ['get', 'query', 'put', 'update'],
      shares: ['get'],
      fleet: ['get'],
    }));
    platform.grantPublish(publish);
    addChangeStream({
      from: tables.jobs,
      to: publish,
      failures,
      // Of a million jobs three million changes are the platform's own reports. A deleted job has no new image, and so no mark.
      only: { dynamodb: { NewImage: { changedBy: { S: FilterRule.notExists() } } } },
    });
    addChangeStream({
      from: tables.commands,
      to: publish,
      failures,
      only: { eventName: FilterRule.or('INSERT'), dynamodb: commandKeys },
      // A command may be begun for ten seconds, and waits for no other device's.
      batchesPerShard: 10,
    });
    alarmOnLag(publish, 'IteratorAge', {
      urgency: 'page',
      impact: 'Partners’ jobs and commands reach the drone platform more than a minute late',
    });
  }
}

/**
 * Events from the platform. Each invokes the function, and waits in Lambda's own queue during a burst; one that can't
 * be applied is put into a queue by the function and retried from there, so that neither a burst nor a failure loses
 * any.
 */
class InboundEvents extends Construct {
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
