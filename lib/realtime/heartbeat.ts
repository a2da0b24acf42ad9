import { Duration } from 'aws-cdk-lib/core';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import { ApiFunction } from '../functions/api-function';
import { schedulerRole } from '../functions/scheduler-role';
import type { Sockets } from './websocket-api';
import type { Tables } from '../tables';
import { failing, type AlarmDefinition } from '../observability/alarm-definition';

export interface HeartbeatProps {
  readonly tables: Tables;
  readonly sockets: Sockets;
}

/** Keeps quiet sockets open past the ten minutes after which API Gateway closes them, and forgets those that are gone. */
export class Heartbeat extends Construct {
  readonly watched: readonly AlarmDefinition[];

  constructor(scope: Construct, id: string, { tables, sockets }: HeartbeatProps) {
    super(scope, id);
    const beat = new ApiFunction(this, 'Heartbeat', {
      entry: 'schedule/heartbeat',
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
