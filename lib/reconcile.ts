import { Duration } from 'aws-cdk-lib/core';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import { ApiFunction } from './api-function';
import { schedulerRole } from './scheduler-role';
import type { Tables } from './tables';
import { failing, type Watched } from './watched';

export interface ReconcileProps {
  readonly tables: Tables;
  /** Folder that the bundles of all functions are in. */
  readonly bundles: string;
}

/** Makes true again each minute what a lost message or a crash has left untrue: devices that are silent and count as online. */
export class Reconcile extends Construct {
  static readonly entry = 'schedule/reconcile';

  readonly watched: readonly Watched[];

  constructor(scope: Construct, id: string, { tables, bundles }: ReconcileProps) {
    super(scope, id);
    const reconcile = new ApiFunction(this, 'Reconcile', {
      entry: Reconcile.entry,
      bundles,
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
