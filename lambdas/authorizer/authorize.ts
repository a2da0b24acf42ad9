import { FetchError, JwkValidationError, JwksValidationError } from 'aws-jwt-verify/error';
import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { endpointsFor, routeOf } from '../../contract/access';
import type { CallerContext } from '../../contract/caller';
import { findPartner } from '../../data/partners';
import { verifyToken } from '../verify-token';

/** `arn:aws:execute-api:<region>:<account>:<api>/<stage>` of the API that asks. */
const apiArn = (methodArn: string) => methodArn.split('/').slice(0, 2).join('/');

/** A policy is cached for the token, so it allows all that the token may do, not the one method asked for. */
const methodArns = (api: string, scopes: readonly string[]) =>
  endpointsFor(scopes).map((key) => {
    const { method, path } = routeOf(key);
    return `${api}/${method}${path.replaceAll(/\{\w+\}/g, '*')}`;
  });

const policy = (effect: 'Allow' | 'Deny', resources: readonly string[]) => ({
  Version: '2012-10-17',
  Statement: [{ Effect: effect, Action: 'execute-api:Invoke', Resource: [...resources] }],
});

/** The keys could not be had, which says nothing about the token. */
const withoutKeys = [FetchError, JwksValidationError, JwkValidationError];

/**
 * Lambda authorizer of the REST API: who a bearer token is and what it may call.
 * @throws Error `Unauthorized`, which API Gateway makes a 401; any other error becomes a 500
 */
export async function handler(event: APIGatewayTokenAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  const token = await verifyToken(event.authorizationToken.replace(/^bearer +/i, '')).catch((error: unknown) => {
    if (withoutKeys.some((kind) => error instanceof kind)) throw error;
    throw new Error('Unauthorized');
  });
  const api = apiArn(event.methodArn);
  const partner = await findPartner(token.clientId);
  const allowed = partner?.status === 'active' ? methodArns(api, token.scopes) : [];
  if (!partner || allowed.length === 0)
    return { principalId: token.clientId, policyDocument: policy('Deny', [`${api}/*`]) };
  const context: CallerContext = {
    clientId: token.clientId,
    organisation: partner.organisation,
    scopes: token.scopes.join(' '),
    expiresAt: token.expiresAt,
  };
  return { principalId: token.clientId, policyDocument: policy('Allow', allowed), context: { ...context } };
}
