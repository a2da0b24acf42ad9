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

/** The function that a method calls, by its construct's name. */
function functionOf(method: CfnResource | undefined): string | undefined {
  const uri = JSON.stringify(method?.Properties['Integration']);
  const called = Object.entries(byPath('AWS::Lambda::Function')).find(([path]) => {
    const id = Object.keys(resources).find((id) => resources[id]?.Metadata?.['aws:cdk:path']?.includes(`${path}/`));
    return id !== undefined && uri.includes(`"${id}"`);
  });
  return called?.[0].split('/')[1];
}

/** What a mock integration answers: status, body and headers. */
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

  test(endpoint.scope === null ? 'asks for an API key and no token' : 'asks the authorizer', () => {
    expect(method?.Properties).toMatchObject(
      endpoint.scope === null
        ? { ApiKeyRequired: true, AuthorizationType: 'NONE' }
        : { AuthorizationType: 'CUSTOM', AuthorizerId: { Ref: expect.stringMatching(/^Authorizer/) as string } },
    );
    expect(method?.Properties['ApiKeyRequired'] ?? false).toBe(endpoint.scope === null);
  });

  test('calls the function of its handler', () => {
    expect(functionOf(method)).toBe(endpoint.handler.split('/').at(-1));
    expect(method?.Properties['Integration']).toMatchObject({ Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST' });
  });
});

/** Paths with no endpoint: each resource without a path parameter below it has a catch-all of its own. */
const unknown = [
  ...['/', '/{path+}', '/v3', '/v3/{path+}', '/v3/auth', '/v3/auth/{path+}', '/v3/auth/token/{path+}'],
  ...['/v3/jobs/create/{path+}', '/v3/jobs/{jobId}/{path+}', '/v3/jobs/{jobId}/cancel/{path+}'],
  ...['/v3/streams', '/v3/streams/{path+}', '/v3/streams/share/{shareCode}/{path+}'],
  ...['/v3/shares/{shareCode}/{path+}', '/v3/shares/{shareCode}/resources/{path+}', '/v3/resources/{path+}'],
];

test('Nothing is served beside the table of endpoints, the 405s and the 404s', () => {
  const others = [...paths, ...unknown].map((path) => `ANY ${path}`);
  expect([...methods.keys()].sort()).toEqual([...Object.keys(endpointTable), ...others].sort());
});

test.each(paths)('Any other method of %s is 405 with Allow', (path) => {
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

test.each(unknown)('An unknown path is 404 even with a bearer token: %s', (path) => {
  expect(fixedReply(methods.get(`ANY ${path}`))).toMatchObject({
    status: '404',
    body: { 'application/json': '{"error":"Not found"}' },
    headers: { 'method.response.header.x-request-id': 'context.requestId' },
  });
});

test('The console may not call functions past the authorizer', () => {
  const all = Object.entries(byPath('AWS::Lambda::Permission'));
  const permissions = all.filter(([path]) => !path.startsWith('StatusChannels/'));
  expect(permissions).toHaveLength(endpoints.length + 1);
  expect(JSON.stringify(permissions)).not.toContain('test-invoke-stage');
});
