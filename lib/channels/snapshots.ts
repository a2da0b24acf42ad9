import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Contract } from '../../contract/contract';
import { ApiFunction, grantVideo } from '../functions/api-function';
import type { WebSocketChannels } from './websocket-api';
import type { Tables } from '../foundation/tables';
import { alarmOnErrors, countErrors } from '../functions/error-alarm';
import { alarmOnThrottles } from '../functions/throttle-alarm';

export interface SnapshotsProps {
  readonly channels: Contract['channels'];
  readonly tables: Tables;
  readonly sockets: WebSocketChannels;
}

/** By then a client without its snapshot has reconnected. */
const MAX_AGE = Duration.minutes(1);

/**
 * Sends the current state to each new connection, and the end of a share to its viewers, in an invocation of its own,
 * so that nobody waits for another.
 */
export class Snapshots extends Construct {
  private readonly sendSnapshot: ApiFunction;

  constructor(scope: Construct, id: string, { channels, tables, sockets }: SnapshotsProps) {
    super(scope, id);
    this.sendSnapshot = new ApiFunction(this, 'SendSnapshot', {
      entry: 'channels/send-snapshot',
      description: 'Send the current state to a new connection, and the end of a share to its followers',
      timeoutSeconds: 30,
    }).uses(tables, ...Object.values(channels).map((channel) => channel.tables.state), {
      // The share of a viewer, and the devices of a subscription.
      shares: ['get'],
      fleet: ['query', 'get'],
      connections: ['get', 'query', 'delete', 'update'],
      // What a client that resumes has missed.
      events: ['get', 'query'],
    });
    this.sendSnapshot.lambda.configureAsyncInvoke({ maxEventAge: MAX_AGE, retryAttempts: 0 });
    sockets.grantManage(this.sendSnapshot);
    // The snapshot of a STREAM share contains the video URL.
    grantVideo(this.sendSnapshot);
    this.grantRequest(sockets.connect);
    countErrors(this.sendSnapshot, 'sockets');
    alarmOnThrottles(this, 'sockets', {
      urgency: 'page',
      impact: 'Partners can’t connect over WebSocket: DynamoDB throttles',
    });
    alarmOnErrors(
      this,
      'sockets',
      {
        urgency: 'page',
        impact: 'Partners can’t connect over WebSocket, or their sockets close or answer with errors',
      },
      {
        handshakes: sockets.connect.lambda.metricErrors(),
        snapshots: this.sendSnapshot.lambda.metricErrors(),
        // Functions that API Gateway could not invoke.
        integrations: sockets.metric('ExecutionError', { statistic: 'Sum' }),
      },
    );
  }

  /** Lets a function request snapshots. */
  grantRequest(requester: ApiFunction): void {
    const { functionName, functionArn } = this.sendSnapshot.lambda;
    requester.lambda.addEnvironment('SNAPSHOT_FUNCTION', functionName);
    requester.allow(['lambda:InvokeFunction'], [functionArn]);
  }
}
