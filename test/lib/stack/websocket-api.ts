import { contract } from '../../../contract/contract';
import { channelPathsCode } from '../../../lib/channels/channel-distribution';
import { environmentOf, permissionsIn } from '../permissions';
import { referred, smallTable, synthesise, type CfnResource } from '../synthesised';

const stack = synthesise({}, smallTable);
const { template, byPath, resources } = stack;
const { nameOf } = permissionsIn(stack);
const routes = new Map(
  Object.values(byPath('AWS::ApiGatewayV2::Route')).map((route) => [String(route.Properties['RouteKey']), route]),
);
const idOf = (resource: CfnResource | undefined) =>
  Object.entries(resources).find(([, found]) => found === resource)?.[0] ?? '?';

/** Construct id of the function that a route invokes. */
function calledBy(route: CfnResource | undefined): string {
  const target = route?.Properties['Target'] as { 'Fn::Join': [string, [string, unknown]] };
  const integration = resources[referred(target['Fn::Join'][1][1])]?.Properties;
  expect(integration?.['IntegrationType']).toBe('AWS_PROXY');
  return /Realtime\/(?:WebSocket|Actions)\/(\w+)/.exec(nameOf(integration?.['IntegrationUri']))?.[1] ?? '?';
}

describe('The WebSocket API', () => {
  test('selects the route by the action of a message', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      ProtocolType: 'WEBSOCKET',
      RouteSelectionExpression: '$request.body.action',
    });
  });

  test.each([
    ['$connect', 'Connect'],
    ['$disconnect', 'Disconnect'],
    ['$default', 'AnswerMessage'],
    ['ping', 'AnswerMessage'],
  ])('%s invokes %s', (key, name) => {
    expect(calledBy(routes.get(key))).toBe(name);
    expect(routes.get(key)?.Properties['AuthorizationType']).toBe('NONE');
  });

  test.each(['$default', 'ping'])('%s returns the reply', (key) => {
    const route = routes.get(key);
    expect(route?.Properties['RouteResponseSelectionExpression']).toBe('$default');
    template.hasResourceProperties('AWS::ApiGatewayV2::RouteResponse', {
      RouteId: { Ref: idOf(route) },
      RouteResponseKey: '$default',
    });
  });

  test('may invoke each function, by one permission, only for its routes', () => {
    const allowed = Object.values(byPath('AWS::Lambda::Permission')).filter(({ Properties: { SourceArn } }) =>
      nameOf(SourceArn).startsWith('execute-api:Realtime/WebSocket/Api/'),
    );
    for (const { Properties } of allowed) {
      expect([Properties['Principal'], Properties['Action']]).toEqual([
        'apigateway.amazonaws.com',
        'lambda:InvokeFunction',
      ]);
    }
    const own = [...routes.keys()].filter((key) => !['ping', '$default'].includes(key));
    expect(allowed.map(({ Properties: { SourceArn } }) => nameOf(SourceArn)).sort()).toEqual(
      [...own, '*'].map((key) => `execute-api:Realtime/WebSocket/Api/live/${key}`).sort(),
    );
    expect(new Set(allowed.map(({ Properties }) => nameOf(Properties['FunctionName']))).size).toBe(allowed.length);
  });
});

describe('The stage of the WebSocket API', () => {
  const [stage] = Object.values(byPath('AWS::ApiGatewayV2::Stage'));

  test('is deployed automatically', () => {
    expect(stage?.Properties).toMatchObject({ StageName: 'live', AutoDeploy: true });
  });

  test('logs each handshake and message as JSON, without queries, which may contain tokens', () => {
    const { Format, DestinationArn } = stage?.Properties['AccessLogSettings'] as {
      Format: string;
      DestinationArn: unknown;
    };
    const logged = Object.values(JSON.parse(Format) as Record<string, string>);
    expect(logged).toEqual(expect.arrayContaining(['$context.requestId', '$context.connectionId', '$context.status']));
    for (const variable of logged) expect(variable).toMatch(/^\$context\.[\w.]+$/);
    expect(Format).not.toMatch(/query|header|path|authorizer|stageVariables/i);
    expect(resources[referred(DestinationArn)]?.Properties['RetentionInDays']).toBe(90);
  });

  test('does not log message contents, and is created after the permission to write logs', () => {
    expect(stage?.Properties['DefaultRouteSettings']).toBeUndefined();
    const [account] = Object.values(byPath('AWS::ApiGateway::Account'));
    expect((stage as unknown as { DependsOn: string[] }).DependsOn).toContain(idOf(account));
  });
});

describe('The distribution in front of the WebSocket API', () => {
  const [distribution] = Object.values(byPath('AWS::CloudFront::Distribution'));
  const config = distribution?.Properties['DistributionConfig'] as Record<string, unknown>;
  const behaviour = config['DefaultCacheBehavior'] as Record<string, unknown>;

  test('connects to the API over TLS', () => {
    const [origin] = config['Origins'] as { Id: string; DomainName: unknown; CustomOriginConfig: object }[];
    expect(nameOf(origin?.DomainName)).toBe('Realtime/WebSocket/Api.execute-api.<>.<>');
    expect(origin?.CustomOriginConfig).toEqual({ OriginProtocolPolicy: 'https-only', OriginSSLProtocols: ['TLSv1.2'] });
    expect(behaviour['TargetOriginId']).toBe(origin?.Id);
  });

  test('sends a secret that the function of $connect knows, and is updated before that function', () => {
    const [origin] = config['Origins'] as { OriginCustomHeaders: { HeaderName: string; HeaderValue: unknown }[] }[];
    const connect = byPath('AWS::Lambda::Function')['Realtime/WebSocket/Connect/Function'];
    const [id] = Object.entries(resources).find(([, { Type }]) => Type === 'AWS::SecretsManager::Secret') ?? [];
    const reference = { 'Fn::Join': ['', ['{{resolve:secretsmanager:', { Ref: id }, ':SecretString:::}}']] };
    expect(origin?.OriginCustomHeaders).toEqual([{ HeaderName: 'x-origin-verify', HeaderValue: reference }]);
    expect(environmentOf(connect)['ORIGIN_SECRET']).toEqual(reference);
    expect(connect?.DependsOn).toContain(idOf(distribution));
    expect(resources[id ?? '?']?.Properties['GenerateSecretString']).toEqual({
      PasswordLength: 48,
      ExcludePunctuation: true,
    });
  });

  test('requires TLS and caches nothing', () => {
    expect(behaviour).toMatchObject({
      ViewerProtocolPolicy: 'https-only',
      AllowedMethods: ['GET', 'HEAD'],
      // CloudFront's managed policy CachingDisabled
      CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
    });
  });

  test('passes on everything but the host, which the API would refuse', () => {
    // CloudFront's managed policy AllViewerExceptHostHeader
    expect(behaviour['OriginRequestPolicyId']).toBe('b689b0a8-53d0-40ab-baf2-68738e2966ac');
  });

  test('does not cache errors, so that the next handshake reaches the API', () => {
    const responses = config['CustomErrorResponses'] as { ErrorCode: number; ErrorCachingMinTTL: number }[];
    // Statuses that CloudFront would cache for ten seconds, always or if the origin allows it.
    expect(responses.map(({ ErrorCode }) => ErrorCode)).toEqual(
      expect.arrayContaining([400, 403, 404, 405, 414, 500, 501, 502, 503, 504]),
    );
    expect(new Set(responses.map(({ ErrorCachingMinTTL }) => ErrorCachingMinTTL))).toEqual(new Set([0]));
    expect(JSON.stringify(responses)).not.toContain('ResponsePagePath');
  });

  test('maps paths to queries with a CloudFront function', () => {
    const [association] = behaviour['FunctionAssociations'] as { EventType: string; FunctionARN: unknown }[];
    expect(association?.EventType).toBe('viewer-request');
    expect(resources[referred(association?.FunctionARN)]?.Properties).toMatchObject({
      AutoPublish: true,
      FunctionConfig: { Runtime: 'cloudfront-js-2.0' },
      FunctionCode: channelPathsCode('live', contract.channels),
    });
  });

  test('has no access log, which would contain queries and so tokens', () => {
    expect(config['Logging']).toBeUndefined();
  });

  test('is the address that partners connect to', () => {
    template.hasOutput('WebSocketUrl', {
      Value: { 'Fn::Join': ['', ['wss://', { 'Fn::GetAtt': [idOf(distribution), 'DomainName'] }]] },
    });
    expect(config['Aliases']).toBeUndefined();
  });
});

test('no function has a URL that bypasses the API', () => {
  template.resourceCountIs('AWS::Lambda::Url', 0);
});
