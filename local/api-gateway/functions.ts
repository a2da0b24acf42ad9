/** How the gateway calls functions: only those that permit it, as in an account. */
import type { Lambda } from '../lambda';
import { GatewayError } from './gateway-responses';

export interface Functions {
  /**
   * Calls a function on behalf of a method or an authorizer. Rejects with GatewayError API_CONFIGURATION_ERROR when no
   * AWS::Lambda::Permission allows it, else with the errors of {@link Lambda.invoke}.
   */
  invoke(functionArn: string, sourceArn: string, event: unknown): Promise<unknown>;
  /** Takes a line of the execution log. */
  log(line: string): void;
}

/** Functions as API Gateway may call them: Lambda developer guide, "Granting Lambda function access to AWS services". */
export function createFunctions(lambda: Pick<Lambda, 'invoke' | 'permits'>, log: (line: string) => void): Functions {
  return {
    log,
    invoke(functionArn, sourceArn, event) {
      if (lambda.permits(functionArn, 'apigateway.amazonaws.com', sourceArn)) return lambda.invoke(functionArn, event);
      log(
        `Execution failed due to configuration error: Invalid permissions on Lambda function ${functionArn} for ${sourceArn}`,
      );
      return Promise.reject(new GatewayError('API_CONFIGURATION_ERROR'));
    },
  };
}

/** The function in an integration or authorizer URI, `…:lambda:path/2015-03-31/functions/<arn>/invocations`; throws for another. */
export function functionArnOf(uri: string): string {
  const [, functionArn] = /:lambda:path\/2015-03-31\/functions\/(.+)\/invocations$/.exec(uri) ?? [];
  if (functionArn === undefined) throw new Error(`${uri} names no Lambda function`);
  return functionArn;
}
