import { Duration } from 'aws-cdk-lib/core';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import { ApiFunction } from '../functions/api-function';
import { schedulerRole } from '../functions/scheduler-role';
import type { WebSocketChannels } from './websocket/websocket-api';
import type { Tables } from '../tables';
import { alarmOnErrors } from '../observability/alarm-definition';

export interface HeartbeatProps {
  readonly tables: Tables;
  readonly sockets: WebSocketChannels;
}

/** Keeps idle sockets open past the ten minutes after which API Gateway closes them, and deletes closed connections. */
export class Heartbeat extends Construct {
  constructor(scope: Construct, id: string, { tables, sockets }: HeartbeatProps) {
    super(scope, id);
    const beat = new ApiFunction(this, 'Heartbeat', {
      entry: 'schedule/heartbeat',
      description: 'Keep idle sockets open, and close those that must end',
      timeoutSeconds: 240,
    }).uses(tables, { connections: ['scan', 'query', 'delete', 'update'], partners: ['get'], shares: ['get'] });
    sockets.grantManage(beat);
    alarmOnErrors(beat, 'Partners’ idle sockets are closed once heartbeats have failed for six minutes', 1);
    // The target would also grant all versions of the function.
    const role = schedulerRole(this, beat, 'default').withoutPolicyUpdates();
    new Schedule(this, 'Schedule', {
      description: 'Heartbeat of the status channels',
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      target: new LambdaInvoke(beat.lambda, { role, retryAttempts: 0 }),
    });
  }
}
