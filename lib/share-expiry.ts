import { Aws, RemovalPolicy } from 'aws-cdk-lib/core';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { FilterRule } from 'aws-cdk-lib/aws-lambda';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ApiFunction } from './api-function';
import { addChangeStream } from './change-stream';
import { failureQueue } from './failure-queue';
import type { PlatformBus } from './platform-bus';
import { schedulerRole } from './scheduler-role';
import type { Tables } from './tables';
import { failing, late, type Watched } from './watched';

export interface ShareExpiryProps {
  readonly tables: Tables;
  readonly platform: PlatformBus;
  /** Folder that the bundles of all functions are in. */
  readonly bundles: string;
}

/** Ends each share when its time is up, by a one-time schedule of its own: TTL deletes come hours late. */
export class ShareExpiry extends Construct {
  static readonly entries = ['stream/see-to-share', 'schedule/expire-share'];

  /** Shares whose end could not be scheduled or told, and those that could not be ended then. */
  readonly failures: Queue;
  readonly watched: readonly Watched[];

  constructor(scope: Construct, id: string, { tables, platform, bundles }: ShareExpiryProps) {
    super(scope, id);
    this.failures = failureQueue(this, 'Failures');
    const expire = new ApiFunction(this, 'ExpireShare', {
      entry: 'schedule/expire-share',
      bundles,
      description: 'End a share when its time is up',
      // It is called up to a minute early and waits for the moment.
      timeoutSeconds: 90,
      failures: this.failures,
    }).uses(tables, { shares: ['update', 'delete'] });
    // It has a fixed name, and without the function its schedules are worth nothing.
    const group = new ScheduleGroup(this, 'Schedules', { removalPolicy: RemovalPolicy.DESTROY });
    const role = schedulerRole(this, expire, group.scheduleGroupName);
    role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.failures.queueArn] }));

    const schedule = new ApiFunction(this, 'SeeToShare', {
      entry: 'stream/see-to-share',
      bundles,
      description: 'Schedule the end of a share, and tell the drone platform of it',
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
    platform.grantTell(schedule);
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
