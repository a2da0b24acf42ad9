/** Invokes functions on behalf of the gateway, if their resource policies allow it. */
import type { Lambda } from '../../lambda';
import { GatewayError } from '../gateway-responses';

export interface Functions {
  /**
   * Invokes a function for a method or an authorizer.
   * @throws GatewayError API_CONFIGURATION_ERROR if no AWS::Lambda::Permission allows it; otherwise the errors of
   *   {@link Lambda.invoke}
   */
  invoke(functionArn: string, sourceArn: string, event: unknown): Promise<unknown>;
  /** Writes a line to the execution log. */
  log(line: string): void;
}

/** Lambda developer guide, "Granting Lambda function access to AWS services". */
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

/**
 * Function ARN in an integration or authorizer URI, `…:lambda:path/2015-03-31/functions/<arn>/invocations`. @throws
 * Error for another URI
 */
export function functionArnOf(uri: string): string {
  const [, functionArn] = /:lambda:path\/2015-03-31\/functions\/(.+)\/invocations$/.exec(uri) ?? [];
  if (functionArn === undefined) throw new Error(`${uri} does not name a Lambda function`);
  return functionArn;
}
