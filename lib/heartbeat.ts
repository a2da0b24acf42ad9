import { Duration } from 'aws-cdk-lib/core';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import { ApiFunction } from './api-function';
import { schedulerRole } from './scheduler-role';
import type { Sockets } from './sockets';
import type { Tables } from './tables';
import { failing, type Watched } from './watched';

export interface HeartbeatProps {
  readonly tables: Tables;
  readonly sockets: Sockets;
  /** Folder that the bundles of all functions are in. */
  readonly bundles: string;
}

/** Keeps quiet sockets open past the ten minutes after which API Gateway closes them, and forgets those that are gone. */
export class Heartbeat extends Construct {
  static readonly entry = 'schedule/heartbeat';

  readonly watched: readonly Watched[];

  constructor(scope: Construct, id: string, { tables, sockets, bundles }: HeartbeatProps) {
    super(scope, id);
    const beat = new ApiFunction(this, 'Beat', {
      entry: Heartbeat.entry,
      bundles,
      description: 'Keep sockets open, and close those that must end',
      timeoutSeconds: 240,
    }).uses(tables, { connections: ['scan', 'query', 'delete', 'update'], partners: ['get'] });
    sockets.grantManage(beat);
    this.watched = [
      failing(beat, 'Quiet sockets of partners are closed once heartbeats have failed for six minutes', 1),
    ];
    // The target would give it all versions of the function besides.
    const role = schedulerRole(this, beat, 'default').withoutPolicyUpdates();
    new Schedule(this, 'Schedule', {
      description: 'Heartbeat of the status channels',
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      target: new LambdaInvoke(beat.lambda, { role, retryAttempts: 0 }),
    });
  }
}
