import type { Fields, Objects } from '../terms/field';

const token = 'eyJraWQiOiJkZW1vIiwiYWxnIjoiUlMyNTYifQ.eyJzY29wZSI6IuKApiJ9.c2lnbmF0dXJl';

/** Fields of the token endpoint. */
export const tokenFields: Fields = {
  access_token: {
    description: 'JWT for the header `Authorization: Bearer …` and as password over MQTT. Treat it as opaque.',
    examples: [token],
    minLength: 1,
  },
  client_id: {
    description: 'Client id from your onboarding. Leave it out if HTTP Basic carries it.',
    examples: ['4q8sexampleclientid2v6k0m1'],
  },
  client_secret: {
    description: 'Client secret from your onboarding. Leave it out if HTTP Basic carries it.',
    examples: ['example-secret-from-your-onboarding'],
  },
  error_description: {
    description: 'Explanation for people, of the token endpoint alone. The wording may change: branch on `error`.',
    examples: ['The client credentials were rejected.'],
    minLength: 1,
  },
  expires_in: {
    description:
      'Seconds that the token is valid, 3600. Renew it before that, by your own clock from the time of the request.',
    examples: [3600],
    minimum: 1,
  },
  grant_type: { description: 'Always `client_credentials`.', examples: ['client_credentials'] },
  'Token.scope': {
    description:
      'The scopes that the token carries, separated by spaces: all of the client, whatever `scope` the request has (RFC 6749 section 5.1).',
    examples: ['command:create command:read resources:read'],
  },
  token_type: { description: 'Always `Bearer`.' },
  'AuthenticateMessage.token': {
    description: 'A new access token of the client that opened the socket.',
    examples: [token],
  },
  'AuthenticatedMessage.expiresAt': {
    description: 'When the socket will be closed: the end of the token, at most two hours after the handshake.',
    examples: ['2026-11-20T11:30:15.000Z'],
    format: 'date-time',
  },
  'ExpiringMessage.expiresAt': {
    description: 'When the socket will be closed.',
    examples: ['2026-11-20T10:31:40.000Z'],
    format: 'date-time',
  },
  'ExpiringMessage.reason': {
    description: '`token`: its token ends; `connection`: two hours have passed since its handshake.',
    examples: ['token'],
  },
  subscriptionsEnded: {
    description: 'Present, and `true`, when all subscriptions have ended, since the new token lacks `resources:read`.',
    examples: [true],
  },
};

/** Objects in replies, by the export of their schema: generated clients have a class for each. */
export const tokenObjects: Objects = {
  token: 'An access token.',
};
