import { Duration } from 'aws-cdk-lib/core';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import { ApiFunction } from '../functions/api-function';
import { schedulerRole } from '../functions/scheduler-role';
import type { Tables } from '../tables';
import { alarmOnFailedRuns } from '../observability/alarm-definition';

export interface ReconcileProps {
  readonly tables: Tables;
}

/** Every minute sets silent devices offline whose device check was lost with a message or in a crash. */
export class Reconcile extends Construct {
  constructor(scope: Construct, id: string, { tables }: ReconcileProps) {
    super(scope, id);
    const reconcile = new ApiFunction(this, 'Reconcile', {
      entry: 'schedule/reconcile',
      description: 'Set silent devices offline whose device check was lost',
      timeoutSeconds: 50,
    }).uses(tables, { fleet: ['batchGet', 'update'] });
    reconcile.allow(['dynamodb:Scan'], [`${tables.fleet.tableArn}/index/${tables.onlineIndex}`]);
    // The next run, a minute later, does the work of a failed one.
    alarmOnFailedRuns(reconcile, 'A silent device still counts as online for partners if its device check was lost', 3);
    // The target would also grant all versions of the function.
    const role = schedulerRole(this, reconcile, 'default').withoutPolicyUpdates();
    new Schedule(this, 'Schedule', {
      description: 'Check of online devices, every minute',
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      target: new LambdaInvoke(reconcile.lambda, { role, retryAttempts: 0 }),
    });
  }
}
