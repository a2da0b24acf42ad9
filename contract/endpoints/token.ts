import type { Endpoint } from '../endpoint';
import * as schemas from '../schemas/token';

/** Where tokens are issued. */
export const tokenEndpoints = {
  'POST /v3/auth/token': {
    summary: 'Get an access token',
    scope: null,
    handler: 'auth/issue-token',
    tables: { partners: ['get'] },
    settings: ['TOKEN_URL'],
    request: { body: schemas.tokenRequest },
    reply: { status: 200, body: schemas.tokenReply },
    refusals: ['invalid_request', 'unsupported_grant_type', 'invalid_client', 'forbidden'],
  },
} as const satisfies Record<string, Endpoint>;
