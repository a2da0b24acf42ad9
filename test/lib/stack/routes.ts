import { endpointTable, splitEndpointKey } from '../../../contract/endpoint-table';
import { binaryMediaTypes } from '../../../contract/terms/binary-media-types';
import { synthesise, bodyOf, operationsOf, type Operation } from '../synthesised';

const { byPath, resources } = synthesise();
const body = bodyOf({ byPath });
const methods = operationsOf(body);
const endpoints = Object.entries(endpointTable);
const paths = [...new Set(endpoints.map(([key]) => splitEndpointKey(key).path))];

/** Construct id of the function whose URI an operation has. */
function functionOf(operation: Operation | undefined): string | undefined {
  const uri = JSON.stringify(operation?.['x-amazon-apigateway-integration']);
  const called = Object.entries(byPath('AWS::Lambda::Function')).find(([, { Properties }]) =>
    uri.includes(`:function:${String(Properties['FunctionName'])}/invocations"`),
  );
  return called?.[0].split('/')[1];
}

function fixedReply(operation: Operation | undefined) {
  const integration = operation?.['x-amazon-apigateway-integration'];
  if (integration?.type !== 'mock') throw new Error('it invokes a function');
  const { statusCode, responseTemplates, responseParameters } = integration.responses.default;
  const chosen = [...new Set(Object.values(integration.requestTemplates))];
  return { chosen, status: statusCode, body: responseTemplates, headers: responseParameters };
}

describe.each(endpoints)('%s', (key, endpoint) => {
  const method = methods.get(key);

  test(endpoint.scope === null ? 'requires an API key and no token' : 'invokes the authorizer', () => {
    expect(method?.security).toEqual([endpoint.scope === null ? { apiKey: [] } : { accessToken: [] }]);
  });

  test('invokes the function of its handler', () => {
    expect(functionOf(method)).toBe(endpoint.handler.split('/').at(-1));
    expect(method?.['x-amazon-apigateway-integration']).toMatchObject({ type: 'aws_proxy', httpMethod: 'POST' });
  });
});

/** All paths and their prefixes. */
const resourcePaths = [
  ...new Set(paths.flatMap((path) => path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/')))),
];

/** Paths without an endpoint: each resource without a path parameter below it has its own catch-all. */
const unknown = [
  ...resourcePaths.filter((path) => !paths.includes(path)).map((path) => path || '/'),
  ...resourcePaths
    .filter((path) => !resourcePaths.some((other) => other.startsWith(`${path}/{`)))
    .map((path) => `${path}/{path+}`),
];

test('paths without an endpoint are above and below those that have one', () => {
  expect(unknown).toEqual(expect.arrayContaining(['/', '/{path+}', '/v3', '/v3/streams', '/v3/jobs/{jobId}/{path+}']));
  expect(unknown).not.toContain('/v3/jobs/{path+}');
});

test('the methods are exactly the endpoints of the contract, the redirects to the docs site, the 405s and the 404s', () => {
  const others = [...paths, ...unknown, '/docs', '/docs/{path+}'].map((path) => `ANY ${path}`);
  expect([...methods.keys()].sort()).toEqual([...Object.keys(endpointTable), 'GET /', 'GET /docs', ...others].sort());
});

describe('GET /docs', () => {
  test.each(['GET /docs', 'GET /'])('%s redirects to the docs site on the host of the channels', (key) => {
    const { status, chosen, headers } = fixedReply(methods.get(key));
    expect({ status, chosen }).toEqual({ status: '302', chosen: ['{"statusCode":302}'] });
    expect(headers['method.response.header.Location']).toBe('stageVariables.docsUrl');
    const [distribution] = Object.keys(resources).filter(
      (id) => resources[id]?.Type === 'AWS::CloudFront::Distribution',
    );
    const [stage] = Object.values(byPath('AWS::ApiGateway::Stage'));
    expect(stage?.Properties['Variables']).toEqual({
      docsUrl: { 'Fn::Join': ['', ['https://', { 'Fn::GetAtt': [distribution, 'DomainName'] }, '/docs/']] },
    });
  });

  test('is the only method of its path, and nothing is below it', () => {
    expect(fixedReply(methods.get('ANY /docs'))).toMatchObject({
      status: '405',
      headers: { 'method.response.header.Allow': "'GET'" },
    });
    expect(fixedReply(methods.get('ANY /docs/{path+}'))).toMatchObject({ status: '404' });
  });
});

test.each([...methods].filter(([, one]) => one['x-amazon-apigateway-integration'].type === 'mock'))(
  'a file or a client of a binary media type gets the fixed reply of %s as text',
  (_, operation) => {
    const integration = operation['x-amazon-apigateway-integration'];
    if (integration.type !== 'mock') throw new Error('it invokes a function');
    const { contentHandling, requestTemplates, responses } = integration;
    expect([contentHandling, responses.default.contentHandling]).toEqual(['CONVERT_TO_TEXT', 'CONVERT_TO_TEXT']);
    expect(Object.keys(requestTemplates)).toEqual(expect.arrayContaining([...binaryMediaTypes]));
  },
);

test('GeoJSON, KML and KMZ come as they were sent, JSON as text', () => {
  expect(body['x-amazon-apigateway-binary-media-types']).toEqual([
    'application/geo+json',
    'application/vnd.google-earth.kml+xml',
    'application/vnd.google-earth.kmz',
  ]);
});

test.each(paths)('any other method of %s answers 405 with Allow', (path) => {
  const allow = endpoints.map(([key]) => splitEndpointKey(key)).filter((route) => route.path === path);
  const names = allow.map(({ method }) => method).sort();
  expect(fixedReply(methods.get(`ANY ${path}`))).toEqual({
    chosen: ['{"statusCode":405}'],
    status: '405',
    body: {
      'application/json':
        path === '/v3/jobs'
          ? '{"error":"Method not allowed","details":[{"path":"","message":"create by POST /v3/jobs/create"}]}'
          : '{"error":"Method not allowed"}',
    },
    headers: {
      'method.response.header.Allow': `'${names.join(', ')}'`,
      'method.response.header.x-request-id': 'context.requestId',
    },
  });
});

test.each(unknown)('an unknown path answers 404 even with a bearer token: %s', (path) => {
  expect(fixedReply(methods.get(`ANY ${path}`))).toMatchObject({
    status: '404',
    body: { 'application/json': '{"error":"Not found"}' },
    headers: { 'method.response.header.x-request-id': 'context.requestId' },
  });
});

/** What cdk-nag asks of methods, AwsSolutions-APIG4 and COG4, it can't see in a body. */
describe('An operation', () => {
  const guarded = [...methods].filter(([, operation]) => operation.security !== undefined);
  const open = [...methods].filter(([, operation]) => operation.security === undefined);

  test('that invokes a function needs a token, or the API key with which a token is issued', () => {
    expect(guarded.map(([key]) => key).sort()).toEqual(Object.keys(endpointTable).sort());
    const invoking = [...methods].filter(([, one]) => one['x-amazon-apigateway-integration'].type !== 'mock');
    expect(invoking.map(([key]) => key).sort()).toEqual(Object.keys(endpointTable).sort());
    const withKey = guarded.filter(([, { security }]) => security?.some((one) => 'apiKey' in one));
    expect(withKey.map(([key]) => key)).toEqual(['POST /v3/auth/token']);
  });

  test('without either is a fixed redirect, 404 or 405', () => {
    const statuses = open.map(([, operation]) => fixedReply(operation).status);
    expect(new Set(statuses)).toEqual(new Set(['302', '404', '405']));
  });

  test.each([...methods])(
    'declares the parameters of its path and the headers of its response: %s',
    (key, operation) => {
      const names = [...key.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => name);
      const declared = { in: 'path', required: true, schema: { type: 'string' } };
      expect(operation.parameters).toEqual(names.map((name) => ({ ...declared, name })));
      expect(Object.keys(operation.responses)).toHaveLength(1);
      const integration = operation['x-amazon-apigateway-integration'];
      const { statusCode, responseParameters } =
        integration.type === 'mock' ? integration.responses.default : { statusCode: undefined, responseParameters: {} };
      const [[status, { headers = {} }] = ['', {}]] = Object.entries(operation.responses);
      expect(status).toBe(statusCode ?? String(endpointTable[key as keyof typeof endpointTable].reply.status));
      expect(Object.keys(responseParameters)).toEqual(
        Object.keys(headers).map((name) => `method.response.header.${name}`),
      );
    },
  );
});

/** API Gateway developer guide, "Amazon API Gateway important notes for REST APIs", OpenAPI 3.0. */
describe('The body keeps to what API Gateway reads of OpenAPI', () => {
  test('schemes of the type apiKey, each of them declared and used', () => {
    const { securitySchemes } = body.components;
    expect(new Set(Object.values(securitySchemes).map((scheme) => (scheme as { type: string }).type))).toEqual(
      new Set(['apiKey']),
    );
    const used = [...methods.values()].flatMap(({ security = [] }) => security.flatMap((one) => Object.keys(one)));
    expect(Object.keys(securitySchemes).sort()).toEqual([...new Set(used)].sort());
  });

  test('segments of paths, with one parameter among siblings', () => {
    const parents = new Map<string, Set<string>>();
    for (const path of Object.keys(body.paths).filter((path) => path !== '/')) {
      const parts = path.split('/').slice(1);
      for (const [index, part] of parts.entries()) {
        expect(part).toMatch(/^([\w.,-]+|\{\w+\+?\})$/);
        const parent = parts.slice(0, index).join('/');
        if (part.startsWith('{')) parents.set(parent, new Set([...(parents.get(parent) ?? []), part]));
      }
    }
    expect([...parents].filter(([, parameters]) => parameters.size > 1)).toEqual([]);
  });

  test('no security of the whole document, no models, and no references', () => {
    expect(Object.keys(body).sort()).toEqual([
      'components',
      'info',
      'openapi',
      'paths',
      'x-amazon-apigateway-api-key-source',
      'x-amazon-apigateway-binary-media-types',
      'x-amazon-apigateway-gateway-responses',
    ]);
    expect(Object.keys(body.components)).toEqual(['securitySchemes']);
    expect(JSON.stringify(body)).not.toContain('$ref');
  });
});
