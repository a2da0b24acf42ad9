import { Aws, Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, FilterRule } from 'aws-cdk-lib/aws-lambda';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ApiFunction } from '../functions/api-function';
import { addChangeStream } from '../functions/change-stream';
import { deadLetterQueue } from '../functions/dead-letter-queue';
import type { PlatformBus } from '../platform/platform-bus';
import { schedulerRole } from '../functions/schedule';
import type { Tables } from '../foundation/tables';
import { alarmOnLag } from '../functions/alarm-definitions';

export interface ShareExpiryProps {
  readonly tables: Tables;
  readonly platform: PlatformBus;
}

/**
 * Ends each share when it expires: DynamoDB's TTL deletes hours late. Its end is a message, delayed by up to 15 minutes; that of
 * a longer share is sent by a one-time schedule of its own.
 */
export class ShareExpiry extends Construct {
  private readonly failures: Queue;
  private readonly ends: Queue;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: ShareExpiryProps,
  ) {
    super(scope, id);
    this.failures = deadLetterQueue(this, 'Failures', {
      // The share is refused on time all the same.
      urgency: 'ticket',
      impact: 'Partners hear hours late that a share has expired, or the drone platform misses one',
    });
    this.ends = new Queue(this, 'Ends', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // Six times the function's timeout (Lambda developer guide, "SQS").
      visibilityTimeout: Duration.seconds(60),
      retentionPeriod: Duration.days(1),
      deadLetterQueue: { queue: this.failures, maxReceiveCount: 5 },
    });
    this.expireOnTime();
    this.scheduleEnds();
  }

  private expireOnTime(): void {
    const expire = new ApiFunction(this, 'ExpireShares', {
      entry: 'shares/expire-shares',
      description: 'End expired shares',
      // It waits up to a second, for a share each.
      memoryMb: 256,
      recursive: true,
    }).uses(this.props.tables, { shares: ['update', 'delete'] });
    this.grantDelay(expire);
    this.ends.grantConsumeMessages(expire.lambda);
    new EventSourceMapping(this, 'FromEnds', {
      target: expire.lambda,
      eventSourceArn: this.ends.queueArn,
      batchSize: 10,
      // Behind these, a thousand ends of one second wait for a fraction of the next.
      maxConcurrency: 15,
      reportBatchItemFailures: true,
    });
  }

  private scheduleEnds(): void {
    const { tables, platform } = this.props;
    // Its name is fixed, and its schedules are useless without the queue.
    const group = new ScheduleGroup(this, 'Schedules', { removalPolicy: RemovalPolicy.DESTROY });
    const role = schedulerRole(this, this.ends, group.scheduleGroupName);
    role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.failures.queueArn] }));

    const schedule = new ApiFunction(this, 'OnShareChange', {
      entry: 'platform/on-share-change',
      description: 'Schedule the end of a share, end its commands, and publish share events to the drone platform',
      timeoutSeconds: 60,
      environment: {
        EXPIRY_SCHEDULE_GROUP: group.scheduleGroupName,
        EXPIRY_ROLE_ARN: role.roleArn,
        EXPIRY_FAILURES_ARN: this.failures.queueArn,
        SHARE_END_QUEUE_ARN: this.ends.queueArn,
      },
    }).uses(tables, { commands: ['query', 'update'] });
    const schedules = `arn:${Aws.PARTITION}:scheduler:${Aws.REGION}:${Aws.ACCOUNT_ID}:schedule/${group.scheduleGroupName}`;
    schedule.allow(
      ['scheduler:CreateSchedule', 'scheduler:DeleteSchedule'],
      [`${schedules}/share-*`],
      'Each share has its own schedule.',
    );
    schedule.lambda.addToRolePolicy(
      new PolicyStatement({
        actions: ['iam:PassRole'],
        resources: [role.roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
      }),
    );
    this.grantDelay(schedule);
    platform.grantPublish(schedule);
    addChangeStream({
      from: tables.shares,
      to: schedule,
      failures: this.failures,
      only: { eventName: FilterRule.or('INSERT', 'REMOVE') },
    });
    alarmOnLag(schedule, 'IteratorAge', {
      // Shares are refused on time all the same, and viewers don't need the platform.
      urgency: 'ticket',
      impact: 'Partners hear late that a share of a minute has ended',
    });
  }

  private grantDelay(sender: ApiFunction): void {
    sender.lambda.addEnvironment('SHARE_END_QUEUE_URL', this.ends.queueUrl);
    sender.allow(['sqs:SendMessage'], [this.ends.queueArn]);
  }
}
