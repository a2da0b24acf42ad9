import { smallTable, synthesise } from '../synthesised';
import { endpointTable } from '../../../contract/access';

const token = 'POST /v3/auth/token';
const { template, byPath } = synthesise({}, { ...smallTable, [token]: endpointTable[token] });

interface GatewayResponse {
  readonly ResponseType: string;
  readonly StatusCode?: string;
  readonly ResponseTemplates: Record<string, string>;
  readonly ResponseParameters: Record<string, string>;
}

const responses = new Map(
  Object.values(byPath('AWS::ApiGateway::GatewayResponse')).map(({ Properties }) => {
    const response = Properties as unknown as GatewayResponse;
    return [response.ResponseType, response];
  }),
);

test.each([
  ['UNAUTHORIZED', '401', '{"error":"Unauthorized"}'],
  [
    'ACCESS_DENIED',
    '403',
    '{"error":"Forbidden","details":[{"path":"Authorization","message":"$context.authorizer.refusal"}]}',
  ],
  ['INVALID_API_KEY', '403', '{"error":"Forbidden","error_description":"x-api-key: is missing or unknown"}'],
  ['MISSING_AUTHENTICATION_TOKEN', '404', '{"error":"Not found"}'],
  ['THROTTLED', '429', '{"error":"Too many requests"}'],
  ['QUOTA_EXCEEDED', '429', '{"error":"Too many requests"}'],
  ['DEFAULT_4XX', undefined, '{"error":$context.error.messageString}'],
  ['DEFAULT_5XX', '500', '{"error":"Internal server error","requestId":"$context.requestId"}'],
])('API Gateway answers %s in the shape of the contract', (type, status, body) => {
  const response = responses.get(type);
  expect(response?.StatusCode).toBe(status);
  expect(response?.ResponseTemplates).toEqual({ 'application/json': body });
  expect(response?.ResponseParameters['gatewayresponse.header.x-request-id']).toBe('context.requestId');
});

test('401 has WWW-Authenticate', () => {
  expect(responses.get('UNAUTHORIZED')?.ResponseParameters['gatewayresponse.header.WWW-Authenticate']).toBe("'Bearer'");
});

test('results of the authorizer are cached for five minutes', () => {
  template.hasResourceProperties('AWS::ApiGateway::Authorizer', {
    Type: 'TOKEN',
    IdentitySource: 'method.request.header.Authorization',
    AuthorizerResultTtlInSeconds: 300,
  });
});

test.each([
  ['Bearer eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln-_A', true],
  ['bearer abc==', true],
  ['Bearer ', false],
  ['Bearereyjhbgci', false],
  ['Basic dXNlcjpwYXNz', false],
  ['Bearer two words', false],
  ['eyJhbGciOiJSUzI1NiJ9', false],
])('the authorizer is invoked for “%s”: %s', (header, invoked) => {
  const [authorizer] = Object.values(byPath('AWS::ApiGateway::Authorizer'));
  const pattern = new RegExp(String(authorizer?.Properties['IdentityValidationExpression']));
  expect(pattern.test(header)).toBe(invoked);
});

test('token requests are throttled at 50 a second with a burst of 100', () => {
  template.hasResourceProperties('AWS::ApiGateway::UsagePlan', {
    Throttle: { RateLimit: 50, BurstLimit: 100 },
    ApiStages: [{ ApiId: {}, Stage: {} }],
  });
});

test('the stage has no traces, which would contain paths, has metrics of the token endpoint, throttles the redirects to the docs site, and logs errors without data', () => {
  template.hasResourceProperties('AWS::ApiGateway::Stage', {
    StageName: 'live',
    TracingEnabled: false,
    MethodSettings: [
      { HttpMethod: '*', ResourcePath: '/*', LoggingLevel: 'ERROR', DataTraceEnabled: false },
      {
        HttpMethod: 'POST',
        ResourcePath: '/~1v3~1auth~1token',
        LoggingLevel: 'ERROR',
        DataTraceEnabled: false,
        MetricsEnabled: true,
      },
      {
        HttpMethod: 'GET',
        ResourcePath: '/~1docs',
        LoggingLevel: 'ERROR',
        DataTraceEnabled: false,
        ThrottlingRateLimit: 20,
        ThrottlingBurstLimit: 40,
      },
      // CloudFormation, "AWS::ApiGateway::Stage MethodSetting": the root path is only a slash.
      { HttpMethod: 'GET', ResourcePath: '/', ThrottlingRateLimit: 20, ThrottlingBurstLimit: 40 },
    ],
  });
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
  template.hasResourceProperties('AWS::ApiGateway::RestApi', {
    EndpointConfiguration: { Types: ['REGIONAL'] },
  });
});
