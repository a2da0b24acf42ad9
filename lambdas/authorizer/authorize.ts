import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import type { CallerContext, RefusalContext } from '../../contract/caller';
import { Refusal } from '../../domain/refusal';
import { identify } from '../auth/identify';

/** `arn:aws:execute-api:<region>:<account>:<api>/<stage>` of the calling API. */
const apiArn = (methodArn: string) => methodArn.split('/').slice(0, 2).join('/');

/**
 * A policy on every method of the API. API Gateway caches it per token, and may compare it with the path as the caller wrote
 * it: a list of paths would then refuse other spellings of them, such as one with a trailing slash.
 */
const policy = (effect: 'Allow' | 'Deny', api: string) => ({
  Version: '2012-10-17',
  Statement: [{ Effect: effect, Action: 'execute-api:Invoke', Resource: `${api}/*` }],
});

/** @param refusal the cause, for the caller */
const denied = (api: string, refusal: string) => ({
  principalId: 'denied',
  policyDocument: policy('Deny', api),
  context: { refusal } satisfies RefusalContext,
});

/**
 * Lambda authorizer of the REST API: identifies the client of a bearer token. It allows an active client every method; the
 * function of the endpoint checks the scope (`lambdas/serve/authorise.ts`).
 * @throws Error `Unauthorized`, which API Gateway answers with 401; any other error becomes a 500
 */
export async function handler(event: APIGatewayTokenAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  const api = apiArn(event.methodArn);
  try {
    const { clientId, organisation, scopes, expiresAt, limits } = await identify(
      event.authorizationToken.replace(/^bearer +/i, ''),
    );
    const caller: CallerContext = {
      clientId,
      organisation,
      scopes: scopes.join(' '),
      expiresAt,
      ...(limits && { limits: JSON.stringify(limits) }),
    };
    return { principalId: clientId, policyDocument: policy('Allow', api), context: { ...caller } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'unauthorized') throw new Error('Unauthorized', { cause: error });
    return denied(api, error.details.map(({ message }) => message).join('; '));
  }
}
