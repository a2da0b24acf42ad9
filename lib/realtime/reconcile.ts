import { Duration } from 'aws-cdk-lib/core';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import { ApiFunction } from '../functions/api-function';
import { schedulerRole } from '../functions/scheduler-role';
import type { Tables } from '../tables';
import { failing, type AlarmDefinition } from '../observability/alarm-definition';

export interface ReconcileProps {
  readonly tables: Tables;
}

/** Makes true again each minute what a lost message or a crash has left untrue: devices that are silent and count as online. */
export class Reconcile extends Construct {
  readonly watched: readonly AlarmDefinition[];

  constructor(scope: Construct, id: string, { tables }: ReconcileProps) {
    super(scope, id);
    const reconcile = new ApiFunction(this, 'Reconcile', {
      entry: 'schedule/reconcile',
      description: 'Make true again what a lost message or a crash has left untrue',
      timeoutSeconds: 50,
    }).uses(tables, { fleet: ['batchGet', 'update'] });
    reconcile.may(['dynamodb:Scan'], [`${tables.fleet.tableArn}/index/${tables.onlineIndex}`]);
    // One that fails is followed by another in a minute.
    this.watched = [failing(reconcile, 'A device that has fallen silent counts as online if its watch was lost', 3)];
    // The target would give it all versions of the function besides.
    const role = schedulerRole(this, reconcile, 'default').withoutPolicyUpdates();
    new Schedule(this, 'Schedule', {
      description: 'What a lost message or a crash has left untrue',
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      target: new LambdaInvoke(reconcile.lambda, { role, retryAttempts: 0 }),
    });
  }
}
