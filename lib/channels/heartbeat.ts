import { Construct } from 'constructs';
import { ApiFunction } from '../functions/api-function';
import { everyMinute } from '../functions/schedule';
import type { WebSocketChannels } from './websocket-api';
import type { Tables } from '../foundation/tables';
import { alarmOnFailedRuns } from '../functions/alarm-definitions';

export interface HeartbeatProps {
  readonly tables: Tables;
  readonly sockets: WebSocketChannels;
}

/** Keeps idle sockets open past the ten minutes after which API Gateway closes them, and deletes closed connections. */
export class Heartbeat extends Construct {
  constructor(scope: Construct, id: string, { tables, sockets }: HeartbeatProps) {
    super(scope, id);
    const beat = new ApiFunction(this, 'Heartbeat', {
      entry: 'channels/heartbeat',
      description: 'Keep idle sockets open, and close those that must end',
      timeoutSeconds: 240,
    }).uses(tables, { connections: ['scan', 'query', 'delete', 'update'], partners: ['get'], shares: ['get'] });
    sockets.grantManage(beat);
    alarmOnFailedRuns(beat, 1, {
      // A client whose socket is closed reconnects and receives the state.
      urgency: 'ticket',
      impact: 'Partners’ idle sockets close after six minutes of failures',
    });
    everyMinute(this, beat, 'Heartbeat of the status channels');
  }
}
