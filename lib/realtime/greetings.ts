import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { ApiFunction } from '../functions/api-function';
import type { Sockets } from './websocket-api';
import type { Tables } from '../tables';
import { grantVideo } from '../shares/video';
import { failing, type AlarmDefinition } from '../observability/alarm-definition';

export interface GreetingsProps {
  readonly tables: Tables;
  readonly sockets: Sockets;
}

/** A client that was not greeted by then has given up and come back. */
const MAX_AGE = Duration.minutes(1);

/**
 * Tells new connections the state of what they follow. It is called for each of them alone, so that no socket waits for
 * another's, whoever opens how many.
 */
export class Greetings extends Construct {
  readonly watched: readonly AlarmDefinition[];
  private readonly greet: ApiFunction;

  constructor(scope: Construct, id: string, { tables, sockets }: GreetingsProps) {
    super(scope, id);
    this.greet = new ApiFunction(this, 'GreetConnection', {
      entry: 'socket/greet-connection',
      description: 'Tell a new connection the state',
      timeoutSeconds: 30,
    }).uses(tables, {
      jobs: ['get'],
      shares: ['get'],
      fleet: ['query', 'get'],
      connections: ['get', 'query', 'delete', 'update'],
    });
    this.greet.lambda.configureAsyncInvoke({ maxEventAge: MAX_AGE, retryAttempts: 0 });
    sockets.grantManage(this.greet);
    // A viewer of a STREAM share is told where the video is.
    grantVideo(this.greet);
    this.grantAsk(sockets.connect);
    this.watched = [failing(this.greet, 'Partners and viewers who connect are closed instead of being told the state')];
  }

  /** Lets a function have connections greeted. */
  grantAsk(asker: ApiFunction): void {
    const { functionName, functionArn } = this.greet.lambda;
    asker.lambda.addEnvironment('GREET_FUNCTION', functionName);
    asker.may(['lambda:InvokeFunction'], [functionArn]);
  }
}
