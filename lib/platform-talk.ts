import { Duration } from 'aws-cdk-lib/core';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { dropReasons, PLATFORM } from '../contract/platform';
import { ApiFunction } from './api-function';
import { addChangeStream } from './change-stream';
import { Counted } from './counted';
import { failureQueue, type Failures } from './failure-queue';
import type { PlatformBus } from './platform-bus';
import type { Tables } from './tables';
import type { Telemetry } from './telemetry';
import { failing, late, type Watched } from './watched';

export interface PlatformTalkProps {
  readonly platform: PlatformBus;
  readonly tables: Tables;
  readonly telemetry: Telemetry;
  /** Folder that the bundles of all functions are in. */
  readonly bundles: string;
}

/** What this service tells the drone platform over the bus, and what it makes of what the platform says. */
export class PlatformTalk extends Construct {
  static readonly entries = ['stream/tell-platform', 'platform/hear'];

  readonly failures: readonly Failures[];
  readonly watched: readonly Watched[];

  constructor(scope: Construct, id: string, props: PlatformTalkProps) {
    super(scope, id);
    const tell = new Tell(this, 'Tell', props);
    const hear = new Hear(this, 'Hear', props);
    this.watched = [
      late(tell.reader, 'Jobs of partners reach the drone platform more than a minute late'),
      failing(tell.reader, 'Jobs of partners reach the drone platform late'),
      failing(hear.worker, 'Partners see progress and positions that the drone platform has reported late'),
    ];
    this.failures = [
      { queue: tell.failures, suffering: 'Jobs of partners do not reach the drone platform' },
      {
        queue: hear.failures,
        suffering: 'Partners do not see progress or positions that the drone platform has reported',
      },
    ];
  }
}

/** Out: what changes of jobs is told; of shares tells who sees to them. */
class Tell extends Construct {
  /** Changes that the platform was not told of. */
  readonly failures: Queue;
  readonly reader: ApiFunction;

  constructor(scope: Construct, id: string, { platform, tables, bundles }: PlatformTalkProps) {
    super(scope, id);
    this.failures = failureQueue(this, 'Failures');
    const tell = (this.reader = new ApiFunction(this, 'TellPlatform', {
      entry: 'stream/tell-platform',
      bundles,
      description: 'Tell the drone platform what has changed of jobs',
      timeoutSeconds: 60,
    }));
    platform.grantTell(tell);
    addChangeStream({ from: tables.jobs, to: tell, failures: this.failures });
  }
}

/** In: a queue holds what the platform says, so that neither a burst nor a fault loses any of it. */
class Hear extends Construct {
  /** Events that could not be worked on. */
  readonly failures: Queue;
  readonly worker: ApiFunction;

  constructor(scope: Construct, id: string, { platform, tables, telemetry, bundles }: PlatformTalkProps) {
    super(scope, id);
    this.failures = failureQueue(this, 'Failures');
    const heard = new Queue(this, 'Heard', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(60),
      // As long as the bus keeps events for a replay.
      retentionPeriod: Duration.days(14),
      deadLetterQueue: { queue: this.failures, maxReceiveCount: 5 },
    });
    new Rule(this, 'FromPlatform', {
      description: 'What the drone platform says',
      eventBus: platform.bus,
      eventPattern: { source: [PLATFORM] },
      targets: [new SqsQueue(heard, { deadLetterQueue: this.failures })],
    });
    const hear = (this.worker = new ApiFunction(this, 'HearPlatform', {
      entry: 'platform/hear',
      bundles,
      description: 'Work on what the drone platform says',
      timeoutSeconds: 30,
      environment: { FAILURES_QUEUE_URL: this.failures.queueUrl },
    }).uses(tables, { jobs: ['get', 'update'], requests: ['update'] }));
    // With it come the rights on the fleet that registering needs too.
    telemetry.grantTake(hear);
    hear.may(['sqs:SendMessage'], [this.failures.queueArn]);
    heard.grantConsumeMessages(hear.lambda);
    new Counted(this, 'Dropped', { in: [hear], as: 'PlatformReportsDropped', reasons: dropReasons });
    new EventSourceMapping(this, 'FromHeard', {
      target: hear.lambda,
      eventSourceArn: heard.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
    });
  }
}
