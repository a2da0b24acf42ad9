import type { Endpoint } from '../terms/endpoint';
import * as schemas from './token.schemas';

// The OAuth token endpoint.

export const issueToken = {
  summary: 'Get an access token',
  description:
    'Issues an access token by the OAuth 2.0 client credentials grant. Send the API key in `x-api-key`; send `client_id` and ' +
    '`client_secret` either in the body, as JSON or as a form, or by HTTP Basic, but not both ways in one request.\n\n' +
    'The token carries all scopes of the client, and the reply says them in `scope`: `scope` and other unknown parameters of the request are ignored. There is no refresh token. ' +
    'Keep the token and use it for all calls until shortly before it expires, instead of requesting one for each call.\n\n' +
    'API key and client must belong together, otherwise the answer is 403, as it is for a suspended client.\n\n' +
    'Limit: 50 requests a second per API key, with bursts of 100; beyond that 429 without `Retry-After`: wait a second.',
  scope: null,
  handler: 'access/issue-token',
  tag: 'Tokens',
  tables: { partners: ['get'] },
  settings: ['TOKEN_URL'],
  request: { body: schemas.tokenRequest },
  reply: { status: 200, body: schemas.token },
  refusals: ['invalid_request', 'unsupported_grant_type', 'invalid_client', 'forbidden'],
} as const satisfies Endpoint;
