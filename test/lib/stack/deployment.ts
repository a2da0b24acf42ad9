import { smallTable, synthesise, type CfnResource } from '../synthesised';
import { scopes } from '../../../contract/access';
import { environmentOf } from '../rights';

const whole = synthesise();
const tablesOf = ({ byPath }: { byPath: (type: string) => Record<string, CfnResource> }) =>
  Object.entries(byPath('AWS::DynamoDB::Table')).map(([path, table]) => [path.split('/')[1] ?? '', table] as const);

const text = (AttributeName: string, KeyType: 'HASH' | 'RANGE') => ({ AttributeName, KeyType });
const ttl = { AttributeName: 'ttl', Enabled: true };

describe('A table', () => {
  test.each([
    ['Jobs', [text('organisation', 'HASH'), text('jobId', 'RANGE')], true, undefined],
    ['Shares', [text('organisation', 'HASH'), text('shareCode', 'RANGE')], true, ttl],
    ['Fleet', [text('organisation', 'HASH'), text('id', 'RANGE')], true, ttl],
    ['Partners', [text('clientId', 'HASH')], false, undefined],
    ['Requests', [text('id', 'HASH')], false, ttl],
    ['Connections', [text('channel', 'HASH'), text('connectionId', 'RANGE')], false, ttl],
  ])('%s has its keys, stream and expiry', (name, keys, streamed, expiry) => {
    const table = Object.fromEntries(tablesOf(whole))[name]?.Properties;
    expect(table?.['KeySchema']).toEqual(keys);
    expect(table?.['StreamSpecification']).toEqual(streamed ? { StreamViewType: 'NEW_AND_OLD_IMAGES' } : undefined);
    expect(table?.['TimeToLiveSpecification']).toEqual(expiry);
  });

  test.each(tablesOf(whole))('%s is on demand, encrypted, recoverable and hard to lose', (_name, table) => {
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

  test('of jobs finds them by status too, with all that a list shows', () => {
    const [index] = Object.fromEntries(tablesOf(whole))['Jobs']?.Properties['GlobalSecondaryIndexes'] as object[];
    expect(index).toEqual({
      IndexName: 'by-status',
      KeySchema: [text('organisationStatus', 'HASH'), text('jobId', 'RANGE')],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['name', 'priority', 'createdAt', 'status'] },
    });
  });
});

describe('Context', () => {
  test('removeData lets go of all data with the stack', () => {
    const { byPath } = synthesise({ removeData: 'true' }, smallTable);
    const kept = [...Object.values(byPath('AWS::DynamoDB::Table')), ...Object.values(byPath('AWS::Cognito::UserPool'))];
    expect(kept.map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(Array(7).fill('Delete'));
    expect(JSON.stringify(kept)).toContain('"DeletionProtectionEnabled":false');
    expect(JSON.stringify(kept)).not.toMatch(/"DeletionProtectionEnabled":true|"DeletionProtection":"ACTIVE"/);
  });

  test('domainName and certificateArn put the API at a name of ours too, under which new clients get their scopes', () => {
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

  test('webSocketDomainName and webSocketCertificateArn put the sockets at a name of ours', () => {
    const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/abc';
    const choices = { webSocketDomainName: 'channels.example.com', webSocketCertificateArn: certificateArn };
    const { template, byPath } = synthesise(choices, smallTable);
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

  test('mqttDomainName and mqttCertificateArn put the topics at a name of ours', () => {
    const certificateArn = 'arn:aws:acm:eu-west-1:123456789012:certificate/abc';
    const choices = { mqttDomainName: 'mqtt.example.com', mqttCertificateArn: certificateArn };
    const { template } = synthesise(choices, smallTable);
    template.hasResourceProperties('AWS::IoT::DomainConfiguration', {
      DomainName: 'mqtt.example.com',
      DomainConfigurationStatus: 'ENABLED',
      ServerCertificateArns: [certificateArn],
      AuthenticationType: 'CUSTOM_AUTH',
    });
    template.hasOutput('MqttUrl', { Value: 'mqtts://mqtt.example.com:8883' });
  });

  test('shareBaseUrl is where share links lead', () => {
    const { byPath } = synthesise({ shareBaseUrl: 'https://share.example.com/' }, smallTable);
    expect(JSON.stringify(byPath('AWS::Lambda::Function'))).toContain('"SHARE_BASE_URL":"https://share.example.com"');
  });

  test('alarmTopicArn hears of every alarm', () => {
    const alarmTopicArn = 'arn:aws:sns:eu-west-1:123456789012:on-call';
    const { byPath } = synthesise({ alarmTopicArn }, smallTable);
    for (const { Properties } of Object.values(byPath('AWS::CloudWatch::Alarm'))) {
      expect(Properties['AlarmActions']).toEqual([alarmTopicArn]);
    }
  });
});

test('Nobody can sign up, and every scope of the contract can be given', () => {
  whole.template.hasResourceProperties('AWS::Cognito::UserPool', {
    AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
    DeletionProtection: 'ACTIVE',
  });
  whole.template.resourceCountIs('AWS::Cognito::UserPoolClient', 0);
  const [server] = Object.values(whole.byPath('AWS::Cognito::UserPoolResourceServer'));
  const given = (server?.Properties['Scopes'] as { ScopeName: string }[]).map(({ ScopeName }) => ScopeName);
  expect(given.sort()).toEqual([...scopes].sort());
});

test('The stack puts out what onboarding a partner and speaking to the platform need', () => {
  const store = ['FleetTable', 'PartnersTable', 'ResourceServer', 'SharesTable', 'UsagePlanId', 'UserPoolId'];
  const addresses = ['BaseUrl', 'MqttUrl', 'ShareBaseUrl', 'WebSocketUrl'];
  const platform = ['PlatformArchiveArn', 'PlatformBusArn'];
  expect([...whole.outputs].sort()).toEqual([...store, ...addresses, ...platform].sort());
});

test('The stack has room to grow below the 500 resources that CloudFormation allows', () => {
  const count = Object.keys(whole.resources).length;
  console.info(`${count} resources`);
  expect(count).toBeLessThan(500);
});
