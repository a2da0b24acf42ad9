import { Duration, Aws } from 'aws-cdk-lib/core';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import type { Construct } from 'constructs';
import { ApiFunction } from './api-function';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { ServiceRole } from '../foundation/service-role';

/**
 * Invokes a function every minute. The next run does the work of one that failed or was throttled: neither Scheduler nor Lambda
 * repeats a run, and Lambda, whose queue keeps a throttled event for six hours by default, drops one that is a minute
 * old, which is the shortest age (Lambda developer guide, "How Lambda handles errors and retries with asynchronous
 * invocation"). Else the runs of those hours would come at once.
 */
export function everyMinute(scope: Construct, run: ApiFunction, description: string): void {
  run.lambda.configureAsyncInvoke({ maxEventAge: Duration.minutes(1), retryAttempts: 0 });
  // The target would also grant all versions of the function.
  const role = schedulerRole(scope, run, 'default').withoutPolicyUpdates();
  new Schedule(scope, 'Schedule', {
    description,
    schedule: ScheduleExpression.rate(Duration.minutes(1)),
    target: new LambdaInvoke(run.lambda, { role, retryAttempts: 0 }),
  });
}

/**
 * Creates the role with which the schedules of one group of this account invoke a function, or send to a queue (EventBridge
 * Scheduler user guide, "Confused deputy prevention").
 */
export function schedulerRole(scope: Construct, target: ApiFunction | Queue, groupName: string): ServiceRole {
  const group = `arn:${Aws.PARTITION}:scheduler:${Aws.REGION}:${Aws.ACCOUNT_ID}:schedule-group/${groupName}`;
  const conditions = { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID, 'aws:SourceArn': group } };
  const role = new ServiceRole(scope, 'Role', new ServicePrincipal('scheduler.amazonaws.com', { conditions }));
  role.addToPolicy(
    target instanceof ApiFunction
      ? new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [target.lambda.functionArn] })
      : new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [target.queueArn] }),
  );
  return role;
}
