import { Aws, RemovalPolicy } from 'aws-cdk-lib/core';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { FilterRule } from 'aws-cdk-lib/aws-lambda';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { ApiFunction } from '../functions/api-function';
import { addChangeStream } from '../functions/change-stream';
import { deadLetterQueue } from '../functions/dead-letter-queue';
import type { PlatformBus } from '../platform/platform-bus';
import { schedulerRole } from '../functions/scheduler-role';
import type { Tables } from '../tables';
import { alarmOnErrors, alarmOnLag } from '../observability/alarm-definition';

export interface ShareExpiryProps {
  readonly tables: Tables;
  readonly platform: PlatformBus;
}

/** Ends each share when it expires, by a one-time schedule per share: DynamoDB's TTL deletes hours late. */
export class ShareExpiry extends Construct {
  constructor(scope: Construct, id: string, { tables, platform }: ShareExpiryProps) {
    super(scope, id);
    const failures = deadLetterQueue(
      this,
      'Failures',
      'Partners receive the end of an expired share hours late and its sockets stay open, or the drone platform misses a share',
    );
    const expire = new ApiFunction(this, 'ExpireShare', {
      entry: 'schedule/expire-share',
      description: 'End an expired share',
      // It is invoked up to a minute early and waits for the exact time.
      timeoutSeconds: 90,
      failures,
    }).uses(tables, { shares: ['update', 'delete'] });
    // Its name is fixed, and its schedules are useless without the function.
    const group = new ScheduleGroup(this, 'Schedules', { removalPolicy: RemovalPolicy.DESTROY });
    const role = schedulerRole(this, expire, group.scheduleGroupName);
    role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [failures.queueArn] }));

    const schedule = new ApiFunction(this, 'OnShareChange', {
      entry: 'stream/on-share-change',
      description: 'Schedule the end of a share, and publish share events to the drone platform',
      timeoutSeconds: 60,
      environment: {
        EXPIRY_SCHEDULE_GROUP: group.scheduleGroupName,
        EXPIRY_FUNCTION_ARN: expire.lambda.functionArn,
        EXPIRY_ROLE_ARN: role.roleArn,
        EXPIRY_FAILURES_ARN: failures.queueArn,
      },
    });
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
    platform.grantPublish(schedule);
    addChangeStream({
      from: tables.shares,
      to: schedule,
      failures,
      only: { eventName: FilterRule.or('INSERT', 'REMOVE') },
    });
    alarmOnLag(schedule, 'Partners receive the end of one-minute shares late, and the drone platform new shares');
    alarmOnErrors(schedule, 'Partners’ shares are scheduled to end too late, and reach the drone platform late');
    alarmOnErrors(expire, 'Followers and viewers of partners’ shares receive their end late');
  }
}
