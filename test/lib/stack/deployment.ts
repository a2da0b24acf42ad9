import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fullDiff, ResourceImpact } from '@aws-cdk/cloudformation-diff';
import { connection } from '../../../data/channels/connections';
import { smallTable, synthesise, type CfnResource, synthesise as synthesiseWith } from '../synthesised';
import { scopeDescriptions } from '../../../contract/terms/scopes';
import { tableNames, tableOutput } from '../../../domain/values/table-names';
import { environmentOf } from '../permissions';

describe('Deployment', () => {
  const whole = synthesise();
  const tablesOf = ({ byPath }: { byPath: (type: string) => Record<string, CfnResource> }) =>
    Object.entries(byPath('AWS::DynamoDB::Table')).map(([path, table]) => [path.split('/')[1] ?? '', table] as const);

  const text = (AttributeName: string, KeyType: 'HASH' | 'RANGE') => ({ AttributeName, KeyType });
  const ttl = { AttributeName: 'ttl', Enabled: true };

  describe('A table', () => {
    test.each([
      ['Jobs', [text('organisation', 'HASH'), text('jobId', 'RANGE')], true, undefined],
      ['Shares', [text('organisation', 'HASH'), text('shareCode', 'RANGE')], true, ttl],
      ['Fleet', [text('fleetPartition', 'HASH'), text('id', 'RANGE')], true, ttl],
      ['Partners', [text('clientId', 'HASH')], false, undefined],
      ['Requests', [text('id', 'HASH')], false, ttl],
      ['Connections', [text('channel', 'HASH'), text('connectionId', 'RANGE')], false, ttl],
    ])('%s has its keys, stream and time to live', (name, keys, streamed, expiry) => {
      const table = Object.fromEntries(tablesOf(whole))[name]?.Properties;
      expect(table?.['KeySchema']).toEqual(keys);
      expect(table?.['StreamSpecification']).toEqual(streamed ? { StreamViewType: 'NEW_AND_OLD_IMAGES' } : undefined);
      expect(table?.['TimeToLiveSpecification']).toEqual(expiry);
    });

    test.each(tablesOf(whole))(
      '%s is on demand, encrypted, recoverable and protected from deletion',
      (_name, table) => {
        expect(table).toMatchObject({
          DeletionPolicy: 'Retain',
          UpdateReplacePolicy: 'Retain',
          Properties: {
            BillingMode: 'PAY_PER_REQUEST',
            SSESpecification: { SSEEnabled: true },
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
            DeletionProtectionEnabled: true,
          },
        });
      },
    );

    test('of jobs has an index by status with all fields of a list', () => {
      const [index] = Object.fromEntries(tablesOf(whole))['Jobs']?.Properties['GlobalSecondaryIndexes'] as object[];
      expect(index).toEqual({
        IndexName: 'by-status',
        KeySchema: [text('organisationStatus', 'HASH'), text('jobId', 'RANGE')],
        Projection: {
          ProjectionType: 'INCLUDE',
          NonKeyAttributes: ['name', 'priority', 'createdAt', 'status', 'deviceGroupId', 'deviceId'],
        },
      });
    });

    test('of connections has an index by socket with all that is read from it', () => {
      const [index] = Object.fromEntries(tablesOf(whole))['Connections']?.Properties['GlobalSecondaryIndexes'] as [
        { KeySchema: object; Projection: { NonKeyAttributes: string[] } },
      ];
      expect(index.KeySchema).toEqual([text('socketId', 'HASH')]);
      const projected = ['channel', 'connectionId', ...index.Projection.NonKeyAttributes];
      expect(projected.sort()).toEqual(Object.keys(connection.shape).sort());
    });
  });

  describe('Context', () => {
    test('removeData deletes all data with the stack', () => {
      const { byPath } = synthesise({ removeData: 'true' }, smallTable);
      const kept = [
        ...Object.values(byPath('AWS::DynamoDB::Table')),
        ...Object.values(byPath('AWS::Cognito::UserPool')),
      ];
      expect(kept.map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(Array(tableNames.length + 1).fill('Delete'));
      expect(JSON.stringify(kept)).toContain('"DeletionProtectionEnabled":false');
      expect(JSON.stringify(kept)).not.toMatch(/"DeletionProtectionEnabled":true|"DeletionProtection":"ACTIVE"/);
    });

    test('domainName and certificateArn add a custom domain, which is also the resource server of new clients', () => {
      const certificateArn = 'arn:aws:acm:eu-west-1:123456789012:certificate/abc';
      const { template, byPath, outputs } = synthesise({ domainName: 'api.example.com', certificateArn }, smallTable);
      template.hasResourceProperties('AWS::ApiGateway::DomainName', {
        DomainName: 'api.example.com',
        RegionalCertificateArn: certificateArn,
        SecurityPolicy: 'TLS_1_2',
      });
      template.resourceCountIs('AWS::ApiGateway::BasePathMapping', 1);
      const [api] = Object.values(byPath('AWS::ApiGateway::RestApi'));
      expect(api?.Properties).not.toHaveProperty('DisableExecuteApiEndpoint');
      template.hasResourceProperties('AWS::Cognito::UserPoolResourceServer', { Identifier: 'https://api.example.com' });
      template.hasOutput('BaseUrl', { Value: 'https://api.example.com' });
      template.hasOutput('ResourceServer', { Value: 'https://api.example.com' });
      const [{ RESOURCE_SERVERS } = {}] = Object.values(byPath('AWS::Lambda::Function')).map(environmentOf);
      expect(JSON.stringify(RESOURCE_SERVERS)).toMatch(/execute-api.*\/live https:\/\/api\.example\.com"/);
      expect(outputs).toContain('DomainTarget');
    });

    test('webSocketDomainName and webSocketCertificateArn set the custom domain of WebSockets', () => {
      const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/abc';
      const options = { webSocketDomainName: 'channels.example.com', webSocketCertificateArn: certificateArn };
      const { template, byPath } = synthesise(options, smallTable);
      template.hasResourceProperties('AWS::CloudFront::Distribution', {
        DistributionConfig: {
          Aliases: ['channels.example.com'],
          ViewerCertificate: {
            AcmCertificateArn: certificateArn,
            MinimumProtocolVersion: 'TLSv1.2_2021',
            SslSupportMethod: 'sni-only',
          },
        },
      });
      template.hasOutput('WebSocketUrl', { Value: 'wss://channels.example.com' });
      const [distribution] = Object.keys(template.findResources('AWS::CloudFront::Distribution'));
      template.hasOutput('WebSocketDomainTarget', { Value: { 'Fn::GetAtt': [distribution, 'DomainName'] } });
      expect(JSON.stringify(byPath('AWS::Lambda::Function'))).not.toContain('wss://channels.example.com');
    });

    test('mqttDomainName and mqttCertificateArn add a custom domain for MQTT', () => {
      const certificateArn = 'arn:aws:acm:eu-west-1:123456789012:certificate/abc';
      const options = { mqttDomainName: 'mqtt.example.com', mqttCertificateArn: certificateArn };
      const { template } = synthesise(options, smallTable);
      template.hasResourceProperties('AWS::IoT::DomainConfiguration', {
        DomainName: 'mqtt.example.com',
        DomainConfigurationStatus: 'ENABLED',
        ServerCertificateArns: [certificateArn],
        AuthenticationType: 'CUSTOM_AUTH',
      });
      template.hasOutput('MqttUrl', { Value: 'mqtts://mqtt.example.com:8883' });
    });

    test('shareBaseUrl is the base URL of share links', () => {
      const { byPath } = synthesise({ shareBaseUrl: 'https://share.example.com/' }, smallTable);
      expect(JSON.stringify(byPath('AWS::Lambda::Function'))).toContain('"SHARE_BASE_URL":"https://share.example.com"');
    });

    test('without pageTopicArn and ticketTopicArn alarms notify nobody', () => {
      for (const { Properties } of Object.values(whole.byPath('AWS::CloudWatch::Alarm'))) {
        expect(Properties).not.toHaveProperty('AlarmActions');
        expect(Properties).not.toHaveProperty('OKActions');
      }
    });
  });

  test('the user pool allows no sign-up and has every scope of the contract', () => {
    whole.template.hasResourceProperties('AWS::Cognito::UserPool', {
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
      DeletionProtection: 'ACTIVE',
    });
    whole.template.resourceCountIs('AWS::Cognito::UserPoolClient', 0);
    const [server] = Object.values(whole.byPath('AWS::Cognito::UserPoolResourceServer'));
    const given = server?.Properties['Scopes'] as { ScopeName: string; ScopeDescription: string }[];
    expect(Object.fromEntries(given.map(({ ScopeName, ScopeDescription }) => [ScopeName, ScopeDescription]))).toEqual(
      scopeDescriptions,
    );
  });

  test('the outputs are those that operators and the drone platform need', () => {
    const tables = tableNames.map(tableOutput);
    const access = ['ResourceServer', 'RestApiId', 'RestApiStage', 'SocketsUrl', 'UsagePlanId', 'UserPoolId'];
    const addresses = ['BaseUrl', 'DocsUrl', 'MqttUrl', 'ShareBaseUrl', 'WebSocketUrl'];
    const platform = ['PlatformArchiveArn', 'PlatformBusArn', 'PlatformRoleArn'];
    expect([...whole.outputs].sort()).toEqual([...tables, ...access, ...addresses, ...platform].sort());
  });
});

/** Which stateful resources an update of the stack keeps (docs/deploying.md). */
describe('An update', () => {
  /** Routes and their functions are stateless, so a small table is enough. */
  const synthesise = (context: Record<string, string> = {}) => synthesiseWith(context, smallTable);

  /** Types whose replacement loses data, or an address or credential that partners use, with the reason. */
  const stateful: Readonly<Record<string, string>> = {
    'AWS::ApiGateway::RestApi': 'its id is part of the address that partners call',
    'AWS::ApiGateway::UsagePlan': 'it contains the API keys of partners',
    'AWS::ApiGatewayV2::Api': 'it has the open connections',
    'AWS::CloudFront::Distribution': 'its domain name is the address of channels and share links',
    'AWS::Cognito::UserPool': 'it contains the app clients of partners',
    'AWS::Cognito::UserPoolDomain': 'it serves the token endpoint',
    'AWS::Cognito::UserPoolResourceServer': 'it defines the scopes of clients',
    'AWS::DynamoDB::Table': 'it holds data',
    'AWS::Events::Archive': 'it holds 14 days of events',
    'AWS::Events::EventBus': 'the drone platform sends its events to it',
    'AWS::IoT::DomainConfiguration': 'partners connect to it',
    'AWS::S3::Bucket': 'open pages load their files from it',
    'AWS::SQS::Queue': 'it holds messages',
    'AWS::Scheduler::ScheduleGroup': 'it contains the expiry schedules of shares',
    'Custom::MqttDomainCreated': 'partners connect to it',
  };
  const isStateful = ({ Type }: CfnResource) => Object.hasOwn(stateful, Type);

  type Resources = Readonly<Record<string, CfnResource>>;
  const onlyStateful = (resources: Resources): Resources =>
    Object.fromEntries(Object.entries(resources).filter(([, resource]) => isStateful(resource)));

  const lossy = [
    ResourceImpact.WILL_REPLACE,
    ResourceImpact.MAY_REPLACE,
    ResourceImpact.WILL_DESTROY,
    ResourceImpact.WILL_ORPHAN,
  ];

  /** Stateful resources that an update would replace, delete or orphan, according to the CDK's diff. */
  function lossesBetween(before: Resources, after: Resources): string[] {
    const { resources } = fullDiff({ Resources: onlyStateful(before) }, { Resources: onlyStateful(after) });
    const losses: string[] = [];
    resources.forEachDifference((id, change) => {
      if (lossy.includes(change.changeImpact)) losses.push(`${change.changeImpact} ${change.resourceType} ${id}`);
    });
    return losses;
  }

  const certificate = (region: string) => `arn:aws:acm:${region}:123456789012:certificate/abc`;
  const base = synthesise();
  /** Each option alone, as it may be set later. */
  const options: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    removeData: { removeData: 'true' },
    domainName: { domainName: 'api.example.com', certificateArn: certificate('eu-west-1') },
    webSocketDomainName: {
      webSocketDomainName: 'channels.example.com',
      webSocketCertificateArn: certificate('us-east-1'),
    },
    mqttDomainName: { mqttDomainName: 'mqtt.example.com', mqttCertificateArn: certificate('eu-west-1') },
    shareBaseUrl: { shareBaseUrl: 'https://share.example.com' },
    pageTopicArn: { pageTopicArn: 'arn:aws:sns:eu-west-1:123456789012:on-call' },
    ticketTopicArn: { ticketTopicArn: 'arn:aws:sns:eu-west-1:123456789012:tickets' },
    mapTileUrl: { mapTileUrl: 'none' },
    simulatedFleet: { simulatedFleet: 'true' },
    webRateLimit: { webRateLimit: '100000' },
    cloudFrontWebAclArn: { cloudFrontWebAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/edge/1-2' },
    tags: { tags: 'costCenter=42' },
    platformPrincipalArn: { platformPrincipalArn: '210987654321' },
    platformTargetArn: { platformTargetArn: 'arn:aws:sqs:eu-west-1:210987654321:heard' },
    permissionsBoundaryArn: { permissionsBoundaryArn: 'arn:aws:iam::123456789012:policy/bound' },
  };

  test.each(Object.keys(options))('that sets %s replaces and deletes no stateful resource', (name) => {
    expect(lossesBetween(base.resources, synthesise(options[name]).resources)).toEqual([]);
  });

  test.each([
    ['domainName', ['AWS::Cognito::UserPoolResourceServer']],
    ['mqttDomainName', ['AWS::IoT::DomainConfiguration']],
    ['platformTargetArn', ['AWS::SQS::Queue']],
    ['simulatedFleet', ['AWS::DynamoDB::Table']],
  ])('that removes %s deletes only what the option added', (name, types) => {
    const losses = lossesBetween(synthesise(options[name]).resources, base.resources);
    expect(losses.map((loss) => loss.split(' ')[1]).sort()).toEqual(types);
  });

  test('that changes the logical id or a replacement property of a stateful resource is detected', () => {
    const [id = '', server] =
      Object.entries(base.resources).find(([, { Type }]) => Type.endsWith('ResourceServer')) ?? [];
    const renamed = { ...server, Properties: { ...server?.Properties, Identifier: 'other' } } as CfnResource;
    expect(lossesBetween(base.resources, { ...base.resources, [id]: renamed })).toEqual([
      `WILL_REPLACE AWS::Cognito::UserPoolResourceServer ${id}`,
    ]);
    const { [id]: _deleted, ...others } = base.resources;
    expect(lossesBetween(base.resources, others)).toEqual([`WILL_ORPHAN AWS::Cognito::UserPoolResourceServer ${id}`]);
  });

  /** The last confirmed template stands for what may be deployed. */
  test('from the last confirmed template replaces and deletes no stateful resource', () => {
    const file = join(__dirname, 'stateful-resources.json');
    const all = onlyStateful(
      synthesise(Object.assign({}, ...Object.values(options)) as Record<string, string>).resources,
    );
    const plain = Object.fromEntries(
      Object.entries(all).map(([id, { Metadata: _metadata, Properties, ...resource }]) => {
        // A new body of the REST API replaces nothing.
        const { Body: _body, ...properties } = Properties;
        return [id, { ...resource, Properties: properties }];
      }),
    );
    // To confirm an intended loss: CONFIRM_STATEFUL=yes npm test -- test/lib/stack.test.ts, and a line in docs/deploying.md.
    if (process.env['CONFIRM_STATEFUL'] === 'yes') writeFileSync(file, `${JSON.stringify(plain, undefined, 2)}\n`);
    const confirmed = JSON.parse(readFileSync(file, 'utf8')) as Resources;
    expect(Object.keys(confirmed).length).toBeGreaterThan(20);
    expect(lossesBetween(confirmed, all)).toEqual([]);
  });
});
