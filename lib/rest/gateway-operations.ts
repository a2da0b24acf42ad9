/** Operations of the OpenAPI document from which API Gateway creates the methods of the REST API. */

import type { Detail } from '../../domain/values/refusal';

export interface GatewayOperation {
  readonly parameters: readonly PathParameter[];
  readonly responses: Readonly<Record<string, Response>>;
  /**
   * Default: neither a token nor an API key. API Gateway ignores the document's own `security` ("Amazon API Gateway
   * important notes").
   */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly 'x-amazon-apigateway-integration': Integration;
}

interface PathParameter {
  readonly name: string;
  readonly in: 'path';
  readonly required: true;
  readonly schema: { readonly type: 'string' };
}

interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly schema: { readonly type: 'string' } }>>;
}

/** API Gateway developer guide, "x-amazon-apigateway-integration object". */
type Integration =
  | { readonly type: 'aws_proxy'; readonly httpMethod: 'POST'; readonly uri: string }
  | {
      readonly type: 'mock';
      readonly contentHandling: typeof AS_TEXT;
      readonly passthroughBehavior: 'never';
      readonly requestTemplates: Readonly<Record<string, string>>;
      readonly responses: Readonly<Record<'default', IntegrationResponse>>;
    };

interface IntegrationResponse {
  readonly statusCode: string;
  readonly contentHandling: typeof AS_TEXT;
  readonly responseParameters: Readonly<Record<string, string>>;
  readonly responseTemplates?: Readonly<Record<string, string>>;
}

/**
 * What a mock needs for the binary media types of the API: without it, it answers 500 to a body of one, which its
 * template can't read, and to who accepts one first, since it takes its own text for base64 (developer guide, "Content
 * type conversions in API Gateway").
 */
const AS_TEXT = 'CONVERT_TO_TEXT';

/** Content types of requests that get a fixed reply; API Gateway answers 415 to others. */
const bodyTypes = [
  'application/json',
  'application/geo+json',
  'application/vnd.google-earth.kml+xml',
  'application/vnd.google-earth.kmz',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'multipart/form-data',
  'text/plain',
];

/**
 * A call of a function, whose reply is the response.
 * @param uri of the function, as integrations have it
 * @param status of a success
 * @param scheme of the credentials that a caller needs, a name in the document's `securitySchemes`
 */
export const functionCall = (path: string, uri: string, status: number, scheme: string): GatewayOperation => ({
  parameters: parametersOf(path),
  responses: { [status]: { description: 'Success' } },
  security: [{ [scheme]: [] }],
  'x-amazon-apigateway-integration': { type: 'aws_proxy', httpMethod: 'POST', uri },
});

/** A fixed error without a function: this body, the given headers and `x-request-id`. */
export const fixedError = (path: string, status: number, body: FixedError, headers: Headers = {}): GatewayOperation =>
  mock(path, status, body.error, literals(headers), { 'application/json': JSON.stringify(body) });

interface FixedError {
  readonly error: string;
  readonly details?: readonly Detail[];
}

/**
 * A redirect without a body or a function.
 * @param location stage variable that holds the address
 */
export const redirect = (path: string, location: string): GatewayOperation =>
  mock(path, 302, 'Found', { Location: `stageVariables.${location}` });

type Headers = Readonly<Record<string, string>>;

/** Mapping expressions of fixed values (developer guide, "Map Integration Response Data to Method Response Headers"). */
const literals = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));

function mock(
  path: string,
  status: number,
  description: string,
  mapped: Headers,
  responseTemplates?: Headers,
): GatewayOperation {
  const statusCode = String(status);
  const headers = { 'x-request-id': 'context.requestId', ...mapped };
  const responseParameters = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [`method.response.header.${name}`, value]),
  );
  const declared = Object.fromEntries(
    Object.keys(headers).map((name) => [name, { schema: { type: 'string' as const } }]),
  );
  return {
    parameters: parametersOf(path),
    responses: { [statusCode]: { description, headers: declared } },
    'x-amazon-apigateway-integration': {
      type: 'mock',
      contentHandling: AS_TEXT,
      passthroughBehavior: 'never',
      requestTemplates: Object.fromEntries(bodyTypes.map((type) => [type, JSON.stringify({ statusCode: status })])),
      responses: {
        default: {
          statusCode,
          contentHandling: AS_TEXT,
          responseParameters,
          ...(responseTemplates !== undefined && { responseTemplates }),
        },
      },
    },
  };
}

/** OpenAPI requires that each parameter of a path is declared; a greedy one, `{path+}`, is declared as `path`. */
const parametersOf = (path: string): PathParameter[] =>
  [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
