import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import type { CallerContext, RefusalContext } from '../../contract/terms/caller';
import { Refusal } from '../../domain/values/refusal';
import { bearerToken } from './credentials';
import { identify, whyInvalid } from './identify';

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

/** @param refusal why the token is not accepted */
const denied = (api: string, refusal: string) => ({
  principalId: 'denied',
  policyDocument: policy('Deny', api),
  context: { refusal } satisfies RefusalContext,
});

/** A client that may do nothing, with the cause. Its scopes are none, so that every endpoint refuses it. */
const suspended = (api: string, { details }: Refusal) => {
  const caller: CallerContext = {
    clientId: 'suspended',
    organisation: 'suspended',
    scopes: '',
    expiresAt: Number.MAX_SAFE_INTEGER,
    refusal: details.map(({ message }) => message).join('; '),
  };
  return { principalId: 'suspended', policyDocument: policy('Allow', api), context: { ...caller } };
};

/**
 * Lambda authorizer of the REST API: identifies the client of a bearer token. It allows a client every method; the
 * function of the endpoint checks the scope (`lambdas/serve/serve.ts`). A suspended client has none, and the function
 * says why. A token that is not valid is denied everything: API Gateway has one response for all that an authorizer
 * denies, and that is the 401 with its cause.
 * @throws Error `Unauthorized`, which API Gateway answers with 401 and does not cache, while it can't be told whether
 *   the token is valid; any other error becomes a 500
 */
export async function handler(event: APIGatewayTokenAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  const api = apiArn(event.methodArn);
  try {
    const { clientId, organisation, scopes, expiresAt, limits } = await identify(
      bearerToken(event.authorizationToken) ?? '',
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
    if (error.code !== 'unauthorized') return suspended(api, error);
    const why = whyInvalid(error);
    if (why === undefined) throw new Error('Unauthorized', { cause: error });
    return denied(api, why);
  }
}
