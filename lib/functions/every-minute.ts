import { Duration } from 'aws-cdk-lib/core';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import type { Construct } from 'constructs';
import type { ApiFunction } from './api-function';
import { schedulerRole } from './scheduler-role';

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
