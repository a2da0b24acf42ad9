import { binaryMediaTypes } from '../../contract/terms/binary-media-types';
import { methodNotAllowed } from '../../contract/endpoint-table';
import { groupBy, listRoutes, type EndpointTable } from './endpoint-routes';
import { fixedError, functionCall, redirect, type GatewayOperation } from './gateway-operations';
import { gatewayRefusals } from '../../contract/refusals';

export interface OpenApiBodyProps {
  /** Name of the API. */
  readonly title: string;
  readonly description: string;
  readonly table: EndpointTable;
  /** Integration URI of the function of a handler. */
  readonly uriOf: (handler: string) => string;
  /** URI of the function that verifies tokens. */
  readonly authorizerUri: string;
  /** Paths of which GET is redirected, with the stage variable that holds the address. */
  readonly redirects: Readonly<Record<string, string>>;
}

/** Operations of a path by method in lower case, or {@link ANY}. */
type PathItem = Readonly<Record<string, GatewayOperation>>;

export interface OpenApiBody {
  readonly openapi: '3.0.1';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: { readonly securitySchemes: Readonly<Record<string, object>> };
  readonly 'x-amazon-apigateway-api-key-source': 'HEADER';
  readonly 'x-amazon-apigateway-binary-media-types': readonly string[];
  readonly 'x-amazon-apigateway-gateway-responses': typeof gatewayResponses;
}

/** Every method that a path does not declare (API Gateway developer guide, "x-amazon-apigateway-any-method object"). */
const ANY = 'x-amazon-apigateway-any-method';
const notFound = { error: 'Not found' };

/** Names of the security schemes. */
const TOKEN = 'accessToken';
const API_KEY = 'apiKey';

/**
 * The OpenAPI document from which API Gateway creates the whole REST API: an operation per endpoint, 405 for other methods of
 * these paths, 404 for all other paths, redirects, and the errors that API Gateway generates itself. What it has beyond
 * OpenAPI 3.0 is in the API Gateway developer guide, "OpenAPI extensions for API Gateway".
 */
export function openApiBody(props: OpenApiBodyProps): OpenApiBody {
  const { title, description, authorizerUri } = props;
  return {
    openapi: '3.0.1',
    info: { title, version: '3', description },
    paths: pathsOf(props),
    components: {
      securitySchemes: {
        [API_KEY]: { type: 'apiKey', name: 'x-api-key', in: 'header' },
        [TOKEN]: {
          type: 'apiKey',
          name: 'Authorization',
          in: 'header',
          'x-amazon-apigateway-authtype': 'custom',
          'x-amazon-apigateway-authorizer': {
            type: 'token',
            authorizerUri,
            // RFC 6750 section 2.1, in any case by RFC 9110 section 11.1; for anything else API Gateway answers 401
            // without invoking the function.
            identityValidationExpression: '^[Bb][Ee][Aa][Rr][Ee][Rr] +[-0-9A-Za-z._~+/]+=*$',
            // After these five minutes a suspended partner has no access.
            authorizerResultTtlInSeconds: 300,
          },
        },
      },
    },
    'x-amazon-apigateway-api-key-source': 'HEADER',
    'x-amazon-apigateway-binary-media-types': binaryMediaTypes,
    'x-amazon-apigateway-gateway-responses': gatewayResponses,
  };
}

function pathsOf({ table, uriOf, redirects }: OpenApiBodyProps): Record<string, PathItem> {
  const endpoints = listRoutes(table).map(({ method, path, endpoint: { handler, reply, scope } }) => {
    const scheme = scope === null ? API_KEY : TOKEN;
    return { path, method, operation: functionCall(path, uriOf(handler), reply.status, scheme) };
  });
  const redirected = Object.entries(redirects).map(([path, location]) => {
    return { path, method: 'GET', operation: redirect(path, location) };
  });
  const routes = [...endpoints, ...redirected];
  const paths: Record<string, PathItem> = {};
  for (const [path, served] of groupBy(routes, (route) => route.path)) {
    const allow = served.map(({ method }) => method).sort();
    const operations = served.map(({ method, operation }) => [method.toLowerCase(), operation] as const);
    // Other methods of the root are refused as for an unknown path.
    const other =
      path === '/'
        ? fixedError(path, 404, notFound)
        : fixedError(path, 405, methodNotAllowed(path, table), { Allow: allow.join(', ') });
    paths[path] = Object.fromEntries([...operations, [ANY, other] as const]);
  }
  for (const path of unknownPaths(Object.keys(paths))) paths[path] = { [ANY]: fixedError(path, 404, notFound) };
  return paths;
}

/**
 * API Gateway parses the `Authorization` of a request for an unknown path as an AWS signature and answers 403 to a bearer
 * token, so 404 needs a method. AWS does not document whether an unknown path below a resource falls back to a `{path+}`
 * further up, so each path has its own, except those with another path parameter: API Gateway allows one among siblings, and it
 * matches everything.
 * @returns the paths above and below those that are served
 */
function unknownPaths(served: readonly string[]): string[] {
  const all = [...new Set(['/', ...served.flatMap(withAncestors)])];
  return all.flatMap((path) => {
    const prefix = path === '/' ? path : `${path}/`;
    const hasParameter = all.some((other) => other.startsWith(`${prefix}{`));
    return [...(served.includes(path) ? [] : [path]), ...(hasParameter ? [] : [`${prefix}{path+}`])];
  });
}

/** Returns `/v3` and `/v3/jobs` for `/v3/jobs`, and `/` for itself. */
function withAncestors(path: string): string[] {
  const parts = path.split('/').slice(1);
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
}

/** API Gateway developer guide, "x-amazon-apigateway-gateway-responses.gatewayResponse object". */
interface GatewayResponse {
  /** Default: API Gateway's own status. */
  readonly statusCode?: string;
  readonly responseParameters: Readonly<Record<string, string>>;
  /** Body by content type, in which API Gateway replaces `$context` variables. */
  readonly responseTemplates: Readonly<Record<string, string>>;
}

/** Each response carries `x-request-id`. */
const response = (
  body: string,
  statusCode?: string,
  headers: Readonly<Record<string, string>> = {},
): GatewayResponse => ({
  ...(statusCode !== undefined && { statusCode }),
  responseParameters: { 'gatewayresponse.header.x-request-id': 'context.requestId', ...headers },
  responseTemplates: { 'application/json': body },
});

const challenge = 'gatewayresponse.header.WWW-Authenticate';

const error = (text: string) => JSON.stringify({ error: text });

/**
 * Errors that API Gateway generates itself, by its type, in the shape of every other error (spec section 7). Types that are not
 * listed, such as 413 for a request that is too large, use the two defaults.
 * See https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html.
 */
const gatewayResponses: Readonly<Record<string, GatewayResponse>> = {
  // Without a token; and a token of which the authorizer can't tell yet whether it is valid.
  UNAUTHORIZED: response(error('Unauthorized'), '401', { [challenge]: "'Bearer'" }),
  // A token that the authorizer denies: its own 403s come from the functions. RFC 6750 section 3.1.
  ACCESS_DENIED: response(JSON.stringify(gatewayRefusals.ACCESS_DENIED), '401', {
    [challenge]: `'Bearer error="invalid_token"'`,
  }),
  // Only the token endpoint requires a key.
  INVALID_API_KEY: response(JSON.stringify(gatewayRefusals.INVALID_API_KEY), '403'),
  // API Gateway's type for an unknown path.
  MISSING_AUTHENTICATION_TOKEN: response(error('Not found'), '404'),
  THROTTLED: response(error('Too many requests'), '429'),
  QUOTA_EXCEEDED: response(error('Too many requests'), '429'),
  // The variable includes its quotes. A status here would replace that of all types that are not listed.
  DEFAULT_4XX: response('{"error":$context.error.messageString}'),
  DEFAULT_5XX: response('{"error":"Internal server error","requestId":"$context.requestId"}', '500'),
};
