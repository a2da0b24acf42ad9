import { endpointTable } from '../../../contract/endpoint-table';
import { permissionsIn } from '../permissions';
import { smallTable, synthesise, type Synthesised, bodyOf } from '../synthesised';
import { readGuide, rowsBelow } from '../../guides/read/guide';

describe('The REST API', () => {
  const token = 'POST /v3/auth/token';
  const { template, byPath, resources } = synthesise({}, { ...smallTable, [token]: endpointTable[token] });

  const body = bodyOf({ byPath });
  const responses = new Map(Object.entries(body['x-amazon-apigateway-gateway-responses']));
  const { accessToken, apiKey } = body.components.securitySchemes;
  const authorizer = () =>
    (accessToken as Record<'x-amazon-apigateway-authorizer', Record<string, string>>)['x-amazon-apigateway-authorizer'];
  const { nameOf } = permissionsIn({ byPath, resources });
  /** Permissions of the functions of endpoints and of the authorizer, by path. */
  const permissions = Object.fromEntries(
    Object.entries(byPath('AWS::Lambda::Permission')).filter(([path]) => /^(Endpoints|Authorizer)\//.test(path)),
  );

  test('the API is replaced as a whole by its body, whose warnings fail the deployment', () => {
    template.hasResourceProperties('AWS::ApiGateway::RestApi', {
      Name: 'drone-mission-api',
      Mode: 'overwrite',
      FailOnWarnings: true,
      EndpointConfiguration: { Types: ['REGIONAL'] },
      // What an update reads instead of the endpoint configuration.
      Parameters: { endpointConfigurationTypes: 'REGIONAL' },
    });
    expect(body).toMatchObject({
      openapi: '3.0.1',
      info: { title: 'drone-mission-api' },
      'x-amazon-apigateway-api-key-source': 'HEADER',
    });
  });

  test('nothing of the API stands beside its body, which would reset or remove it', () => {
    const parts = ['Resource', 'Method', 'Authorizer', 'GatewayResponse', 'RequestValidator', 'Model'];
    expect(parts.filter((part) => Object.keys(byPath(`AWS::ApiGateway::${part}`)).length > 0)).toEqual([]);
    const [api] = Object.values(byPath('AWS::ApiGateway::RestApi'));
    const { Tags: _tags, ...properties } = api?.Properties ?? {};
    const imported = ['Body', 'FailOnWarnings', 'Mode', 'Parameters'];
    expect(Object.keys(properties).sort()).toEqual([...imported, 'EndpointConfiguration', 'Name'].sort());
  });

  test.each([
    ['UNAUTHORIZED', '401', '{"error":"Unauthorized"}'],
    [
      'ACCESS_DENIED',
      '401',
      '{"error":"Unauthorized","details":[{"path":"Authorization","message":"$context.authorizer.refusal"}]}',
    ],
    ['INVALID_API_KEY', '403', '{"error":"Forbidden","error_description":"x-api-key: is missing or unknown"}'],
    ['MISSING_AUTHENTICATION_TOKEN', '404', '{"error":"Not found"}'],
    ['THROTTLED', '429', '{"error":"Too many requests"}'],
    ['QUOTA_EXCEEDED', '429', '{"error":"Too many requests"}'],
    ['DEFAULT_4XX', undefined, '{"error":$context.error.messageString}'],
    ['DEFAULT_5XX', '500', '{"error":"Internal server error","requestId":"$context.requestId"}'],
  ])('API Gateway answers %s in the shape of the contract', (type, status, body) => {
    const response = responses.get(type);
    expect(response?.statusCode).toBe(status);
    expect(response?.responseTemplates).toEqual({ 'application/json': body });
    expect(response?.responseParameters['gatewayresponse.header.x-request-id']).toBe('context.requestId');
  });

  test.each([
    ['UNAUTHORIZED', "'Bearer'"],
    ['ACCESS_DENIED', `'Bearer error="invalid_token"'`],
  ])('401 of %s has WWW-Authenticate', (type, challenge) => {
    expect(responses.get(type)?.responseParameters['gatewayresponse.header.WWW-Authenticate']).toBe(challenge);
  });

  test('results of the authorizer are cached for five minutes', () => {
    expect(accessToken).toMatchObject({
      type: 'apiKey',
      name: 'Authorization',
      in: 'header',
      'x-amazon-apigateway-authtype': 'custom',
      'x-amazon-apigateway-authorizer': { type: 'token', authorizerResultTtlInSeconds: 300 },
    });
  });

  test('the authorizer is the function that verifies tokens', () => {
    const uri = JSON.stringify(authorizer()['authorizerUri']);
    const [verifying] = Object.entries(byPath('AWS::Lambda::Function')).filter(([path]) =>
      path.startsWith('Authorizer/'),
    );
    expect(uri).toContain(`:function:${String(verifying?.[1].Properties['FunctionName'])}/invocations"`);
  });

  test('the API key is a header', () => {
    expect(apiKey).toEqual({ type: 'apiKey', name: 'x-api-key', in: 'header' });
  });

  test.each([
    ['Bearer eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln-_A', true],
    ['bearer abc==', true],
    ['BEARER abc', true],
    ['Bearer ', false],
    ['Bearereyjhbgci', false],
    ['Basic dXNlcjpwYXNz', false],
    ['Bearer two words', false],
    ['eyJhbGciOiJSUzI1NiJ9', false],
  ])('the authorizer is invoked for “%s”: %s', (header, invoked) => {
    expect(new RegExp(String(authorizer()['identityValidationExpression'])).test(header)).toBe(invoked);
  });

  test('token requests are throttled at 50 a second with a burst of 100', () => {
    template.hasResourceProperties('AWS::ApiGateway::UsagePlan', {
      Throttle: { RateLimit: 50, BurstLimit: 100 },
      ApiStages: [{ ApiId: {}, Stage: {} }],
    });
  });

  test('the stage has no traces, which would contain paths, has metrics of the token endpoint, throttles the redirects to the docs site, and writes no execution log, which would be kept for ever', () => {
    const [stage] = Object.values(byPath('AWS::ApiGateway::Stage'));
    expect(stage?.Properties).toMatchObject({ StageName: 'live', TracingEnabled: false });
    const throttle = { ThrottlingRateLimit: 20, ThrottlingBurstLimit: 40 };
    const settings = stage?.Properties['MethodSettings'] as Record<string, unknown>[];
    expect(settings.map(({ DataTraceEnabled, ...setting }) => [DataTraceEnabled ?? false, setting])).toEqual([
      [false, { HttpMethod: 'POST', ResourcePath: '/~1v3~1auth~1token', MetricsEnabled: true }],
      [false, { HttpMethod: 'GET', ResourcePath: '/~1docs', ...throttle }],
      // CloudFormation, "AWS::ApiGateway::Stage MethodSetting": the root path is only a slash.
      [false, { HttpMethod: 'GET', ResourcePath: '/', ...throttle }],
    ]);
  });

  test('the access log is JSON with the request id, and has no tokens and no paths with share codes', () => {
    const [stage] = Object.values(byPath('AWS::ApiGateway::Stage'));
    const { Format } = stage?.Properties['AccessLogSetting'] as { Format: string };
    const logged = Object.values(JSON.parse(Format) as Record<string, string>);
    expect(logged).toContain('$context.requestId');
    expect(logged).toContain('$context.resourcePath');
    expect(logged).not.toContain('$context.path');
    expect(Format).not.toMatch(/header|querystring|apiKey"|identity\.apiKey\W/i);
  });

  test('by default the API has only the address of API Gateway', () => {
    template.resourceCountIs('AWS::ApiGateway::DomainName', 0);
  });

  test('with a stage, the API and its metrics are called after it', () => {
    const staging = synthesise({ stage: 'staging' }, { [token]: endpointTable[token] });
    staging.template.hasResourceProperties('AWS::ApiGateway::RestApi', { Name: 'drone-mission-api-staging' });
    const metrics = JSON.stringify(staging.byPath('AWS::CloudWatch::Alarm'));
    const names = [...metrics.matchAll(/"Name":"ApiName","Value":"([^"]+)"/g)].map(([, name]) => name);
    expect(new Set(names)).toEqual(new Set(['drone-mission-api-staging']));
  });

  describe('A deployment', () => {
    const deploymentOf = ({ resources }: Synthesised) =>
      Object.keys(resources).find((id) => resources[id]?.Type === 'AWS::ApiGateway::Deployment');

    test('is renewed when the body changes, and only then', () => {
      const deployed = deploymentOf(synthesise({}, smallTable));
      expect(deploymentOf(synthesise({ shareBaseUrl: 'https://share.example.com' }, smallTable))).toBe(deployed);
      expect(deploymentOf(synthesise({}, { ...smallTable, [token]: endpointTable[token] }))).not.toBe(deployed);
    });

    test('comes after each permission to invoke a function, and so after the function', () => {
      const [{ DependsOn = [] } = { DependsOn: [] }] = Object.values(byPath('AWS::ApiGateway::Deployment'));
      const depended = DependsOn.map((id) => resources[id]?.Metadata?.['aws:cdk:path']?.split('/').slice(1).join('/'));
      expect(depended).toEqual(expect.arrayContaining(Object.keys(permissions)));
    });
  });

  describe('The API may invoke', () => {
    test('the authorizer, and each function only for its endpoints in its stage', () => {
      const sources = Object.entries(permissions).map(([path, { Properties }]) => {
        const { FunctionName, SourceArn, Principal, Action } = Properties;
        expect([Principal, Action]).toEqual(['apigateway.amazonaws.com', 'lambda:InvokeFunction']);
        expect(nameOf(FunctionName)).toBe(path.replace(/Permission$/, 'Function'));
        return nameOf(SourceArn);
      });
      expect(sources.sort()).toEqual(
        ['authorizers/*', 'live/GET/v3/*', 'live/POST/v3/auth/token'].map(
          (source) => `execute-api:RestApi/OpenApi/${source}`,
        ),
      );
    });

    test('functions whose names leave room for the longest stage', () => {
      const { byPath } = synthesise({ stage: 'a'.repeat(20) });
      const names = Object.values(byPath('AWS::Lambda::Function')).flatMap(
        ({ Properties: { FunctionName } }) => FunctionName ?? [],
      );
      expect(names).toHaveLength(new Set(Object.values(endpointTable).map(({ handler }) => handler)).size + 1);
      for (const name of names) expect(name).toMatch(/^DroneMissionApi-a+-[a-z-]{1,27}$/);
    });
  });
});

describe('The guide of errors', () => {
  test('the guide has the errors that API Gateway answers by itself', () => {
    const text = JSON.stringify(synthesise({}, smallTable).template.toJSON());
    const fixed = [...text.matchAll(/\\"error\\":\\"([^"\\$]+)\\"/g)].map(([, error = '']) => error);
    expect(fixed).toEqual(expect.arrayContaining(['Not found', 'Method not allowed', 'Internal server error']));
    const listed = rowsBelow(readGuide('errors'), 'REST API').map(([, error = '']) => error.replaceAll('`', ''));
    expect(fixed.filter((error) => !listed.includes(error))).toEqual([]);
  });
});
