import { Duration } from 'aws-cdk-lib/core';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { dropReasons, PLATFORM } from '../../contract/platform';
import { ApiFunction } from '../functions/api-function';
import { addChangeStream } from '../functions/change-stream';
import { LogMetric } from '../observability/log-metric';
import { deadLetterQueue, type Failures } from '../functions/dead-letter-queue';
import type { PlatformBus } from './platform-bus';
import type { Tables } from '../tables';
import type { Telemetry } from '../realtime/telemetry';
import { failing, late, type AlarmDefinition } from '../observability/alarm-definition';

export interface PlatformIntegrationProps {
  readonly platform: PlatformBus;
  readonly tables: Tables;
  readonly telemetry: Telemetry;
}

/** Events to and from the drone platform, over its bus. */
export class PlatformIntegration extends Construct {
  readonly failures: readonly Failures[];
  readonly watched: readonly AlarmDefinition[];

  constructor(scope: Construct, id: string, props: PlatformIntegrationProps) {
    super(scope, id);
    const outbound = new OutboundEvents(this, 'OutboundEvents', props);
    const inbound = new InboundEvents(this, 'InboundEvents', props);
    this.watched = [
      late(outbound.reader, 'Jobs of partners reach the drone platform more than a minute late'),
      failing(outbound.reader, 'Jobs of partners reach the drone platform late'),
      failing(inbound.worker, 'Partners see progress and positions that the drone platform has reported late'),
    ];
    this.failures = [
      { queue: outbound.failures, impact: 'Jobs of partners do not reach the drone platform' },
      {
        queue: inbound.failures,
        impact: 'Partners do not see progress or positions that the drone platform has reported',
      },
    ];
  }
}

/** Events to the platform: changes of jobs. Those of shares are published where their end is scheduled. */
class OutboundEvents extends Construct {
  /** Changes that could not be published. */
  readonly failures: Queue;
  readonly reader: ApiFunction;

  constructor(scope: Construct, id: string, { platform, tables }: PlatformIntegrationProps) {
    super(scope, id);
    this.failures = deadLetterQueue(this, 'Failures');
    const publish = (this.reader = new ApiFunction(this, 'PublishPlatformEvents', {
      entry: 'stream/publish-platform-events',
      description: 'Publish changes of jobs to the drone platform',
      timeoutSeconds: 60,
    }));
    platform.grantPublish(publish);
    addChangeStream({ from: tables.jobs, to: publish, failures: this.failures });
  }
}

/** Events from the platform, kept in a queue, so that neither a burst nor a fault loses any. */
class InboundEvents extends Construct {
  /** Events that could not be applied. */
  readonly failures: Queue;
  readonly worker: ApiFunction;

  constructor(scope: Construct, id: string, { platform, tables, telemetry }: PlatformIntegrationProps) {
    super(scope, id);
    this.failures = deadLetterQueue(this, 'Failures');
    const events = new Queue(this, 'Events', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(60),
      // As long as the bus keeps events for a replay.
      retentionPeriod: Duration.days(14),
      deadLetterQueue: { queue: this.failures, maxReceiveCount: 5 },
    });
    new Rule(this, 'FromPlatform', {
      description: 'Events of the drone platform',
      eventBus: platform.bus,
      eventPattern: { source: [PLATFORM] },
      targets: [new SqsQueue(events, { deadLetterQueue: this.failures })],
    });
    const consume = (this.worker = new ApiFunction(this, 'ConsumePlatformEvents', {
      entry: 'queue/consume-platform-events',
      description: 'Apply events of the drone platform',
      timeoutSeconds: 30,
      environment: { DEAD_LETTER_QUEUE_URL: this.failures.queueUrl },
    }).uses(tables, { jobs: ['get', 'update'], requests: ['update'] }));
    // With it come the rights on the fleet that registering needs too.
    telemetry.grantTake(consume);
    consume.may(['sqs:SendMessage'], [this.failures.queueArn]);
    events.grantConsumeMessages(consume.lambda);
    new LogMetric(this, 'Dropped', { in: [consume], as: 'PlatformReportsDropped', reasons: dropReasons });
    new EventSourceMapping(this, 'FromEvents', {
      target: consume.lambda,
      eventSourceArn: events.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
    });
  }
}
