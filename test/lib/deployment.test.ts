import { smallTable, synthesise, type CfnResource } from './synthesised';
import { scopes } from '../../contract/access';

const whole = synthesise();
const tablesOf = ({ byPath }: { byPath: (type: string) => Record<string, CfnResource> }) =>
  Object.entries(byPath('AWS::DynamoDB::Table')).map(([path, table]) => [path.split('/')[1] ?? '', table] as const);

const text = (AttributeName: string, KeyType: 'HASH' | 'RANGE') => ({ AttributeName, KeyType });
const ttl = { AttributeName: 'ttl', Enabled: true };

describe('A table', () => {
  test.each([
    ['Jobs', [text('organisation', 'HASH'), text('jobId', 'RANGE')], true, undefined],
    ['Shares', [text('organisation', 'HASH'), text('shareCode', 'RANGE')], true, ttl],
    ['Fleet', [text('organisation', 'HASH'), text('id', 'RANGE')], true, undefined],
    ['Partners', [text('clientId', 'HASH')], false, undefined],
    ['Requests', [text('id', 'HASH')], false, ttl],
    ['Connections', [text('channel', 'HASH'), text('connectionId', 'RANGE')], true, ttl],
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

  test('domainName and certificateArn put the API at a name of ours, and only there', () => {
    const certificateArn = 'arn:aws:acm:eu-west-1:123456789012:certificate/abc';
    const { template, byPath, outputs } = synthesise({ domainName: 'api.example.com', certificateArn }, smallTable);
    template.hasResourceProperties('AWS::ApiGateway::DomainName', {
      DomainName: 'api.example.com',
      RegionalCertificateArn: certificateArn,
      SecurityPolicy: 'TLS_1_2',
    });
    template.resourceCountIs('AWS::ApiGateway::BasePathMapping', 1);
    template.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: true });
    template.hasResourceProperties('AWS::Cognito::UserPoolResourceServer', { Identifier: 'https://api.example.com' });
    template.hasOutput('BaseUrl', { Value: 'https://api.example.com' });
    expect(JSON.stringify(byPath('AWS::Lambda::Function'))).toContain('"RESOURCE_SERVER":"https://api.example.com"');
    expect(outputs).toContain('DomainTarget');
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

  test.each([
    [{ domainName: 'api.example.com' }, 'go together'],
    [{ removeData: 'yes' }, 'true or false'],
    [{ shareBaseUrl: 7 }, 'must be a string'],
  ])('that makes no sense stops the synthesis: %j', (context, message) => {
    expect(() => synthesise(context, smallTable)).toThrow(message);
  });
});

test.each(Object.entries(whole.byPath('AWS::CloudWatch::Alarm')))(
  'The alarm %s says what partners suffer',
  (_, alarm) => {
    expect(alarm.Properties['AlarmDescription']).toMatch(/partners|slow or (answers? 500|refused)/i);
    expect(alarm.Properties).toMatchObject({
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
    });
  },
);

test('There are alarms for failures, capacity, tokens and each table', () => {
  expect(Object.keys(whole.byPath('AWS::CloudWatch::Alarm')).sort()).toEqual(
    ['Failures', 'NoCapacity', 'NoTokens', 'connections', 'fleet', 'jobs', 'partners', 'requests', 'shares'].map(
      (name) => (/^[a-z]/.test(name) ? `Alarms/${name}Throttled` : `Alarms/${name}`),
    ),
  );
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

test('The stack puts out what onboarding a partner needs', () => {
  const needed = ['BaseUrl', 'FleetTable', 'PartnersTable', 'ResourceServer', 'UsagePlanId', 'UserPoolId'];
  expect([...whole.outputs].sort()).toEqual(needed);
});

test('The stack has room to grow below the 500 resources that CloudFormation allows', () => {
  const count = Object.keys(whole.resources).length;
  console.info(`${count} resources`);
  expect(count).toBeLessThan(500);
});
