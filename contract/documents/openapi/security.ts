import { type Endpoint } from '../../terms/endpoint';
import { scopeDescriptions, namedScopes, scopeWord } from '../../terms/scopes';
import type { OpenApiDocument, Operation } from './openapi-types';

export const openApiSecuritySchemes: OpenApiDocument['components']['securitySchemes'] = {
  clientCredentials: {
    type: 'oauth2',
    description:
      'OAuth 2.0 client credentials. The token endpoint needs the API key in `x-api-key` as well. A token always has all scopes of its client.',
    flows: { clientCredentials: { tokenUrl: '/v3/auth/token', scopes: scopeDescriptions } },
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A token from `POST /v3/auth/token`, for clients that request it themselves.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'API key from your onboarding. Only the token endpoint needs it.',
  },
  clientSecretBasic: {
    type: 'http',
    scheme: 'basic',
    description: 'Client id and client secret by HTTP Basic (RFC 6749 section 2.3.1), instead of in the body.',
  },
};

/** The alternatives by which a caller of an endpoint is authenticated. */
export const securityRequirements = (endpoint: Endpoint): Operation['security'] =>
  endpoint.scope === null
    ? [{ apiKey: [] }, { apiKey: [], clientSecretBasic: [] }]
    : [...alternativesOf(endpoint).map((clientCredentials) => ({ clientCredentials })), { accessToken: [] }];

/** Each list of scopes that is enough. */
const alternativesOf = (endpoint: Endpoint): string[][] =>
  scopeWord(endpoint) === 'and' ? [[...namedScopes(endpoint)]] : namedScopes(endpoint).map((scope) => [scope]);
