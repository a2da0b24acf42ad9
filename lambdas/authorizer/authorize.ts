import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { endpointsFor, routeOf, whatIsLacking } from '../../contract/access';
import type { CallerContext, RefusalContext } from '../../contract/caller';
import { Refusal } from '../../domain/refusal';
import { identify } from '../auth/identify';

/** `arn:aws:execute-api:<region>:<account>:<api>/<stage>` of the calling API. */
const apiArn = (methodArn: string) => methodArn.split('/').slice(0, 2).join('/');

/** API Gateway caches the policy per token, so it allows every method that the token's scopes allow. */
const methodArns = (api: string, scopes: readonly string[]) =>
  endpointsFor(scopes).map((key) => {
    const { method, path } = routeOf(key);
    return `${api}/${method}${path.replaceAll(/\{\w+\}/g, '*')}`;
  });

const policy = (effect: 'Allow' | 'Deny', resources: readonly string[]) => ({
  Version: '2012-10-17',
  Statement: [{ Effect: effect, Action: 'execute-api:Invoke', Resource: [...resources] }],
});

/** @param refusal the cause, for the caller */
const denied = (api: string, refusal: string) => ({
  principalId: 'denied',
  policyDocument: policy('Deny', [`${api}/*`]),
  context: { refusal } satisfies RefusalContext,
});

/**
 * Lambda authorizer of the REST API: identifies the client of a bearer token and allows the methods of its scopes.
 * @throws Error `Unauthorized`, which API Gateway answers with 401; any other error becomes a 500
 */
export async function handler(event: APIGatewayTokenAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  const api = apiArn(event.methodArn);
  try {
    const { clientId, organisation, scopes, expiresAt } = await identify(
      event.authorizationToken.replace(/^bearer +/i, ''),
    );
    const refusal = whatIsLacking(scopes);
    const caller: CallerContext = { clientId, organisation, scopes: scopes.join(' '), expiresAt };
    const allowed = methodArns(api, scopes);
    if (allowed.length === 0) return denied(api, refusal);
    return { principalId: clientId, policyDocument: policy('Allow', allowed), context: { ...caller, refusal } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'unauthorized') throw new Error('Unauthorized', { cause: error });
    return denied(api, error.details.map(({ message }) => message).join('; '));
  }
}
