import { importApi } from '../../api-gateway/import-api';
import { invocationUri } from './rest-api-fixture';

type Json = Record<string, unknown>;

const ANY = 'x-amazon-apigateway-any-method';
const INTEGRATION = 'x-amazon-apigateway-integration';
const AUTHORIZER = 'x-amazon-apigateway-authorizer';
const RESPONSES = 'x-amazon-apigateway-gateway-responses';

const text = { schema: { type: 'string' } };
const orderId = { name: 'orderId', in: 'path', required: true, ...text };
const proxy = { type: 'aws_proxy', httpMethod: 'POST', uri: invocationUri('f') };
const reply = { statusCode: '405', responseParameters: { 'method.response.header.Allow': "'GET'" } };
const mock = { type: 'mock', requestTemplates: { 'application/json': '{"statusCode":405}' } };
const token = { type: 'token', authorizerUri: invocationUri('authorize') };
const scheme = { type: 'apiKey', in: 'header', name: 'Authorization', 'x-amazon-apigateway-authtype': 'custom' };

/** A document of every feature. */
const body = () => ({
  openapi: '3.0.1',
  info: { title: 'orders', version: '1' },
  paths: {
    '/orders/{orderId}': {
      get: {
        operationId: 'getOrder',
        parameters: [orderId],
        responses: { 200: { description: 'OK' } },
        security: [{ token: [] }],
        [INTEGRATION]: proxy,
      },
      [ANY]: {
        parameters: [orderId],
        responses: { 405: { description: 'Not allowed', headers: { Allow: text } } },
        [INTEGRATION]: { ...mock, responses: { default: reply } },
      },
    },
  } as Json,
  components: {
    securitySchemes: {
      token: { ...scheme, [AUTHORIZER]: token },
      key: { type: 'apiKey', in: 'header', name: 'x-api-key' },
    },
  },
  [RESPONSES]: { DEFAULT_4XX: { statusCode: '400', responseTemplates: { 'application/json': '{}' } } },
});

/** Merges changes into a value; `undefined` removes a field. */
function changed(value: unknown, changes: unknown): unknown {
  if (!isObject(value) || !isObject(changes)) return changes;
  const merged = Object.entries(changes).map(([name, change]) => [name, changed(value[name], change)] as const);
  const all = Object.entries({ ...value, ...Object.fromEntries(merged) });
  return Object.fromEntries(all.filter(([, one]) => one !== undefined));
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const operation = (changes: unknown, method = 'get') => ({ paths: { '/orders/{orderId}': { [method]: changes } } });
const integration = (changes: object) => operation({ [INTEGRATION]: changes });
const mocked = (changes: object) => operation({ [INTEGRATION]: changes }, ANY);
const path = (name: string, parameters: readonly string[] = []) => ({
  paths: {
    [name]: {
      get: {
        parameters: parameters.map((one) => ({ ...orderId, name: one })),
        responses: { 200: { description: 'OK' } },
        [INTEGRATION]: proxy,
      },
    },
  },
});
const binary = (...types: string[]) => ({ 'x-amazon-apigateway-binary-media-types': types });
const schemes = (changes: object) => ({ components: { securitySchemes: changes } });

describe('An OpenAPI document', () => {
  test('is imported', () => {
    const { routes, authorizers } = importApi(body());
    expect(routes.find('/orders/7', 'GET')).toMatchObject({
      method: { path: '/orders/{orderId}', httpMethod: 'GET', apiKeyRequired: false, authorizer: 'token' },
      pathParameters: { orderId: '7' },
    });
    expect(routes.find('/orders/7', 'PUT')?.method).toMatchObject({ httpMethod: 'ANY', authorizer: undefined });
    expect(authorizers.get('token')?.identitySource).toBe('method.request.header.Authorization');
  });

  test.each<[string, unknown]>([
    ['parameters of all methods of a path', { paths: { '/orders/{orderId}': { parameters: [orderId] } } }],
    ['a greedy path parameter, declared without its plus', path('/files/{file+}', ['file'])],
    ['an API key beside an authorizer', operation({ security: [{ token: [], key: [] }] })],
    ['binary media types', binary('image/png', 'application/vnd.a+b')],
    ['every character of a path part', path('/a.b-c_d,e:f')],
    ['299 paths', manyPaths(297)],
  ])('may have %s', (_what, changes) => {
    expect(importApi(changed(body(), changes)).routes.all().length).toBeGreaterThan(1);
  });

  test.each<[string, unknown, string]>([
    ['OpenAPI 3.1', { openapi: '3.1.0' }, 'API Gateway imports OpenAPI 3.0 only'],
    ['no title', { info: { title: undefined } }, 'info.title'],
    ['an extension of HTTP APIs', { 'x-amazon-apigateway-cors': {} }, 'x-amazon-apigateway-cors'],
    ['compression', { 'x-amazon-apigateway-minimum-compression-size': 0 }, 'compression is not supported'],
    ['a binary media type with a wildcard', binary('image/*'), 'a binary media type on this machine is'],
    [
      'a binary media type with a parameter',
      binary('text/plain; charset=utf-8'),
      'a binary media type on this machine',
    ],
    ['a binary media type in capitals', binary('Image/PNG'), 'a binary media type on this machine is'],
    ['a repeated binary media type', binary('image/png', 'image~1png'), 'a binary media type is repeated'],
    ['a mock integration among binary media of all types', binary('*/*'), 'ANY /orders/{orderId}: a mock integration'],
    ['a resource policy', { 'x-amazon-apigateway-policy': {} }, 'resource policies are not supported'],
    ['request validators', { 'x-amazon-apigateway-request-validators': {} }, 'request validators are not supported'],
    ['keys from the authorizer', { 'x-amazon-apigateway-api-key-source': 'AUTHORIZER' }, 'api-key-source'],
    ['security at its root', { security: [] }, 'API Gateway ignores security at the root'],
    ['models', { components: { schemas: {} } }, 'schemas'],
    [
      'no endpoint',
      { servers: [{ url: '/', 'x-amazon-apigateway-endpoint-configuration': { disableExecuteApiEndpoint: true } }] },
      'there is no other address',
    ],
    [
      'an endpoint type where AWS documents none',
      { servers: [{ url: '/', 'x-amazon-apigateway-endpoint-configuration': { types: ['REGIONAL'] } }] },
      'types',
    ],
    ['more than 6 MB', { info: { description: 'x'.repeat(6 * 1024 * 1024) } }, 'at most 6 MB'],

    ['a path without a slash', path('orders'), 'GET orders: a path starts with a slash'],
    ['a path that ends with a slash', path('/a/'), 'GET /a/: the path part “” has characters'],
    ['a path part with other characters', path('/a b'), 'the path part “a b” has characters'],
    ['a parameter within a path part', path('/a{id}', ['id']), 'the path part “a{id}” has characters'],
    ['siblings that are parameters', path('/orders/{id}/items', ['id']), 'a sibling ({orderId}) of {id}'],
    ['a greedy sibling of a parameter', path('/orders/{rest+}', ['rest']), 'a sibling ({orderId}) of {rest+}'],
    ['a path below a greedy parameter', path('/files/{file+}/size', ['file']), 'nothing can follow {file+}'],
    ['300 paths', manyPaths(298), 'an API has at most 300 resources'],
    [
      'an undeclared path parameter',
      operation({ parameters: undefined }),
      'the path parameter orderId is not declared',
    ],
    ['a declared parameter that the path lacks', path('/a', ['id']), 'the path has no parameter id'],
    ['a parameter of the query', operation({ parameters: [{ ...orderId, in: 'query' }] }), 'only path parameters'],
    ['an optional path parameter', operation({ parameters: [{ ...orderId, required: false }] }), 'required'],

    ['a method that API Gateway lacks', operation({}, 'trace'), 'trace'],
    ['a method without an integration', operation({ [INTEGRATION]: undefined }), INTEGRATION],
    [
      'a method without responses',
      operation({ responses: undefined }),
      'GET /orders/{orderId}: it declares no responses',
    ],
    ['a response by default only', operation({ responses: { default: { description: 'OK' } } }), 'default'],
    ['a response without a description', operation({ responses: { 200: { description: undefined } } }), 'description'],
    ['a response with a model', operation({ responses: { 200: { content: { 'text/plain': {} } } } }), 'models are not'],
    ['a request with a model', operation({ requestBody: {} }), 'models are not supported'],
    ['a repeated operationId', operation({ operationId: 'getOrder' }, ANY), 'the operationId getOrder is repeated'],
    ['a deprecated method', operation({ deprecated: true }), 'deprecated'],
    ['IAM authorization', operation({ 'x-amazon-apigateway-auth': { type: 'AWS_IAM' } }), 'x-amazon-apigateway-auth'],

    ['an HTTP integration', integration({ type: 'http_proxy' }), INTEGRATION],
    ['an integration type in capitals', integration({ type: 'AWS_PROXY' }), INTEGRATION],
    ['a function without a method', integration({ httpMethod: undefined }), 'functions are called with POST'],
    ['a function that is called with GET', integration({ httpMethod: 'GET' }), 'functions are called with POST'],
    ['a function without a URI', integration({ uri: undefined }), 'uri'],
    ['a URI of no function', integration({ uri: 'arn:aws:lambda:x:1:function:f' }), 'does not name a Lambda function'],
    ['a timeout above 29 s', integration({ timeoutInMillis: 29_001 }), 'timeoutInMillis'],
    ['credentials of an integration', integration({ credentials: 'arn:aws:iam::1:role/r' }), 'credentials'],
    ['responses of a proxy integration', integration({ responses: {} }), 'responses'],
    ['an unknown field of an integration', mocked({ passthroughBehaviour: 'never' }), 'passthroughBehaviour'],
    ['an unknown passthrough behavior', mocked({ passthroughBehavior: 'NEVER' }), 'passthroughBehavior'],
    ['an undeclared response', mocked({ responses: { default: { statusCode: '404' } } }), 'declares no response 404'],
    ['an invalid pattern', mocked({ responses: { '(': reply } }), 'Invalid regular expression'],
    [
      'an undeclared header',
      mocked({ responses: { default: { responseParameters: { 'method.response.header.X': "'x'" } } } }),
      'does not declare method.response.header.X',
    ],
    [
      'an unquoted header value',
      mocked({ responses: { default: { responseParameters: { 'method.response.header.Allow': 'GET' } } } }),
      'the mapping GET',
    ],

    ['an undeclared security scheme', operation({ security: [{ other: [] }] }), 'the security scheme other is not'],
    ['scopes', operation({ security: [{ token: ['read'] }] }), 'scopes are for Cognito'],
    [
      'two authorizers of a method',
      changed(
        schemes({ second: { ...scheme, [AUTHORIZER]: token } }),
        operation({ security: [{ token: [], second: [] }] }),
      ),
      'one authorizer, not token and second',
    ],
    [
      'another type of security scheme',
      schemes({ token: { type: 'http' } }),
      'the type of a security scheme is apiKey',
    ],
    [
      'an authorizer without a type of authorization',
      schemes({ token: { 'x-amazon-apigateway-authtype': undefined } }),
      'security scheme token: an authorizer needs x-amazon-apigateway-authtype',
    ],
    [
      'a type of authorization without an authorizer',
      schemes({ token: { [AUTHORIZER]: undefined } }),
      'security scheme token: x-amazon-apigateway-authorizer is required',
    ],
    ['an authorizer of Cognito', schemes({ token: { [AUTHORIZER]: { type: 'cognito_user_pools' } } }), AUTHORIZER],
    [
      'an authorizer without a function',
      schemes({ token: { [AUTHORIZER]: { authorizerUri: undefined } } }),
      'authorizerUri',
    ],
    [
      'an identity source of a token',
      schemes({ token: { [AUTHORIZER]: { identitySource: 'method.request.header.Authorization' } } }),
      'identitySource',
    ],
    [
      'results of an authorizer for more than an hour',
      schemes({ token: { [AUTHORIZER]: { authorizerResultTtlInSeconds: 3601 } } }),
      'authorizerResultTtlInSeconds',
    ],
    [
      'an API key in another header',
      schemes({ key: { name: 'key' } }),
      'security scheme key: the header of an API key',
    ],

    ['an unknown gateway response', { [RESPONSES]: { NOT_FOUND: {} } }, 'NOT_FOUND'],
    ['a gateway response that has to stay', { [RESPONSES]: { REQUEST_TOO_LARGE: {} } }, 'REQUEST_TOO_LARGE'],
    ['a gateway response without a status code', { [RESPONSES]: { THROTTLED: { statusCode: 'many' } } }, 'statusCode'],
    [
      'a parameter of a gateway response that is no header',
      { [RESPONSES]: { THROTTLED: { responseParameters: { 'gatewayresponse.path.a': "'b'" } } } },
      'gatewayresponse.path.a',
    ],
  ])('with %s is refused by name', (_what, changes, named) => {
    expect(() => importApi(changed(body(), changes))).toThrow(named);
  });
});

/** Paths beside `/`, `/orders` and `/orders/{orderId}`. */
function manyPaths(count: number): object {
  const names = Array.from({ length: count }, (_, index) => `/many${index}`);
  return { paths: Object.assign({}, ...names.map((name) => path(name).paths)) as Json };
}
