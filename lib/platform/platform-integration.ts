import { FilterRule } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ApiFunction } from '../functions/api-function';
import { addChangeStream, commandKeys } from '../functions/change-stream';
import { deadLetterQueue } from '../functions/dead-letter-queue';
import { alarmOnLag } from '../functions/alarm-definitions';
import { InboundEvents, PlatformIntegrationProps } from './inbound-events';

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
