import { connection } from '../../../data/channels/connections';
import { smallTable, synthesise, type CfnResource } from '../synthesised';
import { scopeDescriptions } from '../../../contract/terms/scopes';
import { tableNames, tableOutput } from '../../../contract/terms/tables';
import { environmentOf } from '../permissions';

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

  test.each(tablesOf(whole))('%s is on demand, encrypted, recoverable and protected from deletion', (_name, table) => {
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
  });

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
    const kept = [...Object.values(byPath('AWS::DynamoDB::Table')), ...Object.values(byPath('AWS::Cognito::UserPool'))];
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
