import { Construct } from 'constructs';
import { ApiFunction } from '../functions/api-function';
import { everyMinute } from '../functions/schedule';
import type { Tables } from '../foundation/tables';
import { alarmOnFailedRuns } from '../functions/alarm-definitions';

export interface ReconcileProps {
  readonly tables: Tables;
}

/** Every minute sets silent devices offline whose device check was lost with a message or in a crash. */
export class Reconcile extends Construct {
  constructor(scope: Construct, id: string, { tables }: ReconcileProps) {
    super(scope, id);
    const reconcile = new ApiFunction(this, 'Reconcile', {
      entry: 'channels/reconcile',
      description: 'Set silent devices offline whose device check was lost',
      timeoutSeconds: 50,
    }).uses(tables, { fleet: ['batchGet', 'update'] });
    reconcile.allow(['dynamodb:Scan'], [`${tables.fleet.tableArn}/index/${tables.onlineIndex}`]);
    // The next run, a minute later, does the work of a failed one.
    alarmOnFailedRuns(reconcile, 3, {
      urgency: 'ticket',
      impact: 'Partners see a silent device online',
    });
    everyMinute(this, reconcile, 'Check of online devices, every minute');
  }
}
