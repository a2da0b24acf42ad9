import { rightsIn } from '../rights';
import { smallTable, synthesise, type CfnResource } from '../synthesised';

const stack = synthesise({}, smallTable);
const { template, byPath, resources } = stack;
const { nameOf } = rightsIn(stack);
const idOf = (resource: CfnResource | undefined) =>
  Object.entries(resources).find(([, found]) => found === resource)?.[0] ?? '?';

const [authorizer] = Object.values(byPath('AWS::IoT::Authorizer'));
const rules = Object.values(byPath('AWS::IoT::TopicRule'));

/** What AWS IoT may call, and on behalf of what. */
const permissions = Object.entries(byPath('AWS::Lambda::Permission'))
  .filter(([path]) => path.startsWith('StatusChannels/Topics/'))
  .map(([, { Properties }]) => Properties);

test('Who connects is authorised by our function, without a signature besides that of the token', () => {
  expect(authorizer?.Properties).toMatchObject({ SigningDisabled: true, Status: 'ACTIVE' });
  expect(nameOf(authorizer?.Properties['AuthorizerFunctionArn'])).toBe(
    'StatusChannels/Topics/AuthorizeConnection/Function',
  );
});

/** A call of AWS IoT's API at deployment, as the CDK's function gets it. */
function callOf(type: string, moment: 'Create' | 'Update' | 'Delete'): object {
  const call = Object.values(byPath(type))[0]?.Properties[moment];
  return JSON.parse(call === undefined ? '{}' : nameOf(call)) as object;
}

const settings = {
  authenticationType: 'CUSTOM_AUTH',
  applicationProtocol: 'SECURE_MQTT',
  authorizerConfig: { defaultAuthorizerName: 'StatusChannels/Topics', allowAuthorizerOverride: false },
  tlsConfig: { securityPolicy: 'IoTSecurityPolicy_TLS13_1_2_2022_10' },
};
const domainConfigurationName = 'DroneMissionApi-mqtt';

test('The endpoint takes MQTT with a password alone, on any port, by our authorizer and no other', () => {
  expect(callOf('Custom::MqttDomainCreated', 'Create')).toMatchObject({
    action: 'createDomainConfiguration',
    parameters: { domainConfigurationName, serviceType: 'DATA', ...settings },
  });
  for (const moment of ['Create', 'Update'] as const) {
    expect(callOf('Custom::MqttDomainEnabled', moment)).toMatchObject({
      action: 'updateDomainConfiguration',
      parameters: { domainConfigurationName, domainConfigurationStatus: 'ENABLED', ...settings },
    });
  }
});

test('Without a domain name of ours the address is that which AWS IoT gives, once the configuration is enabled', () => {
  template.resourceCountIs('AWS::IoT::DomainConfiguration', 0);
  const [asked] = Object.values(byPath('Custom::MqttDomainAddress'));
  expect(callOf('Custom::MqttDomainAddress', 'Create')).toMatchObject({
    action: 'describeDomainConfiguration',
    parameters: { domainConfigurationName },
    outputPaths: ['domainName'],
  });
  expect(asked?.DependsOn).toContain(idOf(Object.values(byPath('Custom::MqttDomainEnabled'))[0]));
  const host = { 'Fn::GetAtt': [idOf(asked), 'domainName'] };
  template.hasOutput('MqttUrl', { Value: { 'Fn::Join': ['', ['mqtts://', host, ':8883']] } });
});

test.each([
  ['Created', 'iot:CreateDomainConfiguration'],
  ['Enabled', 'iot:UpdateDomainConfiguration'],
  ['Address', 'iot:DescribeDomainConfiguration'],
])('Who makes the call of %s may do nothing else, and to no other configuration', (id, action) => {
  const { Statement } = byPath('AWS::IAM::Policy')[`StatusChannels/Topics/Managed/${id}/CustomResourcePolicy`]
    ?.Properties['PolicyDocument'] as { Statement: { Action: string; Resource: unknown }[] };
  expect(Statement.map(({ Action, Resource }) => [Action, nameOf(Resource)])).toEqual([
    [action, `iot:domainconfiguration/${domainConfigurationName}/*`],
  ]);
});

test('Each lifecycle event that counts has its rule, whatever the client calls itself', () => {
  const queries = rules.map(({ Properties }) => (Properties['TopicRulePayload'] as { Sql: string }).Sql);
  expect(queries.sort()).toEqual([
    "SELECT * FROM '$aws/events/presence/connected/#'",
    "SELECT * FROM '$aws/events/presence/disconnected/#'",
    "SELECT * FROM '$aws/events/subscriptions/subscribed/#'",
    "SELECT * FROM '$aws/events/subscriptions/unsubscribed/#'",
  ]);
});

test.each(rules)('Rule %# calls the function that counts subscriptions', ({ Properties }) => {
  const payload = Properties['TopicRulePayload'] as {
    AwsIotSqlVersion: string;
    RuleDisabled?: boolean;
    Actions: { Lambda: { FunctionArn: unknown } }[];
  };
  expect(payload.AwsIotSqlVersion).toBe('2016-03-23');
  expect(payload.RuleDisabled ?? false).toBe(false);
  const called = payload.Actions.map(({ Lambda }) => nameOf(Lambda.FunctionArn));
  expect(called).toEqual(['StatusChannels/Topics/CountSubscriptions/Function']);
});

test('AWS IoT may call the authorizer for the authorizer, and the counter for each rule', () => {
  for (const { Principal, Action } of permissions) {
    expect([Principal, Action]).toEqual(['iot.amazonaws.com', 'lambda:InvokeFunction']);
  }
  const given = permissions.map(({ FunctionName, SourceArn }) => [
    nameOf(FunctionName).split('/')[2],
    (SourceArn as { 'Fn::GetAtt': [string, string] })['Fn::GetAtt'],
  ]);
  expect(given).toHaveLength(1 + rules.length);
  expect(given).toEqual(
    expect.arrayContaining([
      ['AuthorizeConnection', [idOf(authorizer), 'Arn']],
      ...rules.map((rule) => ['CountSubscriptions', [idOf(rule), 'Arn']]),
    ]),
  );
});
