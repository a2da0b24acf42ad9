import { Aws, RemovalPolicy } from 'aws-cdk-lib/core';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { FilterRule } from 'aws-cdk-lib/aws-lambda';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ApiFunction } from '../functions/api-function';
import { addChangeStream } from '../functions/change-stream';
import { deadLetterQueue } from '../functions/dead-letter-queue';
import type { PlatformBus } from '../platform/platform-bus';
import { schedulerRole } from '../functions/scheduler-role';
import type { Tables } from '../tables';
import { failing, late, type AlarmDefinition } from '../observability/alarm-definition';

export interface ShareExpiryProps {
  readonly tables: Tables;
  readonly platform: PlatformBus;
}

/** Ends each share when its time is up, by a one-time schedule of its own: TTL deletes come hours late. */
export class ShareExpiry extends Construct {
  /** Shares whose end could not be scheduled or told, and those that could not be ended then. */
  readonly failures: Queue;
  readonly watched: readonly AlarmDefinition[];

  constructor(scope: Construct, id: string, { tables, platform }: ShareExpiryProps) {
    super(scope, id);
    this.failures = deadLetterQueue(this, 'Failures');
    const expire = new ApiFunction(this, 'ExpireShare', {
      entry: 'schedule/expire-share',
      description: 'End a share when its time is up',
      // It is called up to a minute early and waits for the moment.
      timeoutSeconds: 90,
      failures: this.failures,
    }).uses(tables, { shares: ['update', 'delete'] });
    // It has a fixed name, and without the function its schedules are worth nothing.
    const group = new ScheduleGroup(this, 'Schedules', { removalPolicy: RemovalPolicy.DESTROY });
    const role = schedulerRole(this, expire, group.scheduleGroupName);
    role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.failures.queueArn] }));

    const schedule = new ApiFunction(this, 'OnShareChange', {
      entry: 'stream/on-share-change',
      description: 'Schedule the end of a share, and publish it to the drone platform',
      timeoutSeconds: 60,
      environment: {
        EXPIRY_SCHEDULE_GROUP: group.scheduleGroupName,
        EXPIRY_FUNCTION_ARN: expire.lambda.functionArn,
        EXPIRY_ROLE_ARN: role.roleArn,
        EXPIRY_FAILURES_ARN: this.failures.queueArn,
      },
    });
    const schedules = `arn:${Aws.PARTITION}:scheduler:${Aws.REGION}:${Aws.ACCOUNT_ID}:schedule/${group.scheduleGroupName}`;
    schedule.may(
      ['scheduler:CreateSchedule', 'scheduler:DeleteSchedule'],
      [`${schedules}/share-*`],
      'Each share has a schedule of its own.',
    );
    schedule.lambda.addToRolePolicy(
      new PolicyStatement({
        actions: ['iam:PassRole'],
        resources: [role.roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
      }),
    );
    platform.grantPublish(schedule);
    addChangeStream({
      from: tables.shares,
      to: schedule,
      failures: this.failures,
      only: { eventName: FilterRule.or('INSERT', 'REMOVE') },
    });
    this.watched = [
      late(schedule, 'Partners hear of the end of shares that last a minute too late, and the platform of shares'),
      failing(
        schedule,
        'The end of shares that partners make is scheduled late, and the drone platform hears of them late',
      ),
      failing(expire, 'Followers and viewers of shares that partners made hear late that they have expired'),
    ];
  }
}
