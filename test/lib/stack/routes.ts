import { endpointTable, routeOf } from '../../../contract/access';
import { referred, synthesise, type CfnResource } from '../synthesised';

const { byPath, resources } = synthesise();
const methods = routes();
const endpoints = Object.entries(endpointTable);
const paths = [...new Set(endpoints.map(([key]) => routeOf(key).path))];

/** Methods of the template by method and path. */
function routes(): Map<string, CfnResource> {
  const pathOf = (id: string): string => {
    const resource = resources[id];
    if (resource?.Type !== 'AWS::ApiGateway::Resource') return '';
    return `${pathOf(referred(resource.Properties['ParentId']))}/${String(resource.Properties['PathPart'])}`;
  };
  const found = Object.values(resources).filter(({ Type }) => Type === 'AWS::ApiGateway::Method');
  return new Map(
    found.map((method) => {
      const path = pathOf(referred(method.Properties['ResourceId'])) || '/';
      return [`${String(method.Properties['HttpMethod'])} ${path}`, method];
    }),
  );
}

/** Construct id of the function that a method invokes. */
function functionOf(method: CfnResource | undefined): string | undefined {
  const uri = JSON.stringify(method?.Properties['Integration']);
  const called = Object.entries(byPath('AWS::Lambda::Function')).find(([path]) => {
    const id = Object.keys(resources).find((id) => resources[id]?.Metadata?.['aws:cdk:path']?.includes(`${path}/`));
    return id !== undefined && uri.includes(`"${id}"`);
  });
  return called?.[0].split('/')[1];
}

function fixedReply(method: CfnResource | undefined) {
  const integration = method?.Properties['Integration'] as {
    Type: string;
    RequestTemplates: Record<string, string>;
    IntegrationResponses: { StatusCode: string; ResponseTemplates: object; ResponseParameters: object }[];
  };
  const [response] = integration.IntegrationResponses;
  return {
    type: integration.Type,
    chosen: [...new Set(Object.values(integration.RequestTemplates))],
    status: response?.StatusCode,
    body: response?.ResponseTemplates,
    headers: response?.ResponseParameters,
  };
}

describe.each(endpoints)('%s', (key, endpoint) => {
  const method = methods.get(key);

  test(endpoint.scope === null ? 'requires an API key and no token' : 'invokes the authorizer', () => {
    expect(method?.Properties).toMatchObject(
      endpoint.scope === null
        ? { ApiKeyRequired: true, AuthorizationType: 'NONE' }
        : { AuthorizationType: 'CUSTOM', AuthorizerId: { Ref: expect.stringMatching(/^Authorizer/) as string } },
    );
    expect(method?.Properties['ApiKeyRequired'] ?? false).toBe(endpoint.scope === null);
  });

  test('invokes the function of its handler', () => {
    expect(functionOf(method)).toBe(endpoint.handler.split('/').at(-1));
    expect(method?.Properties['Integration']).toMatchObject({ Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST' });
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
  test.each(['GET /docs', 'GET /'])(
    '%s redirects to the docs site on the host of the channels, without a token',
    (key) => {
      const redirect = methods.get(key);
      expect(redirect?.Properties).toMatchObject({ AuthorizationType: 'NONE' });
      const { status, chosen, headers } = fixedReply(redirect);
      expect({ status, chosen }).toEqual({ status: '302', chosen: ['{"statusCode":302}'] });
      const { 'Fn::Join': joined } = (headers as Record<string, { 'Fn::Join': [string, unknown[]] }>)[
        'method.response.header.Location'
      ] ?? { 'Fn::Join': ['', []] };
      const [distribution] = Object.keys(resources).filter(
        (id) => resources[id]?.Type === 'AWS::CloudFront::Distribution',
      );
      expect(joined).toEqual(['', ["'https://", { 'Fn::GetAtt': [distribution, 'DomainName'] }, "/docs/'"]]);
    },
  );

  test('is the only method of its path, and nothing is below it', () => {
    expect(fixedReply(methods.get('ANY /docs'))).toMatchObject({
      status: '405',
      headers: { 'method.response.header.Allow': "'GET'" },
    });
    expect(fixedReply(methods.get('ANY /docs/{path+}'))).toMatchObject({ status: '404' });
  });
});

test.each(paths)('any other method of %s answers 405 with Allow', (path) => {
  const allow = endpoints.map(([key]) => routeOf(key)).filter((route) => route.path === path);
  const names = allow.map(({ method }) => method).sort();
  expect(fixedReply(methods.get(`ANY ${path}`))).toEqual({
    type: 'MOCK',
    chosen: ['{"statusCode":405}'],
    status: '405',
    body: { 'application/json': '{"error":"Method not allowed"}' },
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

test('the API Gateway console may not invoke functions without the authorizer', () => {
  const all = Object.entries(byPath('AWS::Lambda::Permission'));
  const permissions = all.filter(([path]) => !/^(Realtime|PlatformIntegration)\//.test(path));
  expect(permissions).toHaveLength(endpoints.length + 1);
  expect(JSON.stringify(permissions)).not.toContain('test-invoke-stage');
});
