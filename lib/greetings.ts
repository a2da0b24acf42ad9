import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { ApiFunction } from './api-function';
import type { Sockets } from './sockets';
import type { Tables } from './tables';
import { grantVideo } from './video';
import { failing, type Watched } from './watched';

export interface GreetingsProps {
  readonly tables: Tables;
  readonly sockets: Sockets;
  /** Folder that the bundles of all functions are in. */
  readonly bundles: string;
}

/** A client that was not greeted by then has given up and come back. */
const MAX_AGE = Duration.minutes(1);

/**
 * Tells new connections the state of what they follow. It is called for each of them alone, so that no socket waits for
 * another's, whoever opens how many.
 */
export class Greetings extends Construct {
  static readonly entry = 'async/greet-connection';

  readonly watched: readonly Watched[];
  private readonly greet: ApiFunction;

  constructor(scope: Construct, id: string, { tables, sockets, bundles }: GreetingsProps) {
    super(scope, id);
    this.greet = new ApiFunction(this, 'GreetConnection', {
      entry: Greetings.entry,
      bundles,
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
