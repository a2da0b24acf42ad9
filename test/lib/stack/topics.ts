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

test('The endpoint takes MQTT with a password alone, on any port, by that authorizer and no other', () => {
  template.resourceCountIs('AWS::IoT::DomainConfiguration', 1);
  template.hasResourceProperties('AWS::IoT::DomainConfiguration', {
    ServiceType: 'DATA',
    AuthenticationType: 'CUSTOM_AUTH',
    ApplicationProtocol: 'SECURE_MQTT',
    AuthorizerConfig: { DefaultAuthorizerName: { Ref: idOf(authorizer) }, AllowAuthorizerOverride: false },
    TlsConfig: { SecurityPolicy: 'IoTSecurityPolicy_TLS13_1_2_2022_10' },
  });
});

test('Without a domain name of ours the address is that which AWS IoT gives', () => {
  const [configuration] = Object.values(byPath('AWS::IoT::DomainConfiguration'));
  expect(configuration?.Properties).not.toHaveProperty('DomainName');
  expect(configuration?.Properties).not.toHaveProperty('ServerCertificateArns');
  const [asked] = Object.values(byPath('Custom::MqttAddress'));
  expect(nameOf(asked?.Properties['Create'])).toContain(
    '"action":"describeDomainConfiguration","parameters":{"domainConfigurationName":"StatusChannels/Topics"}',
  );
  const host = { 'Fn::GetAtt': [idOf(asked), 'domainName'] };
  template.hasOutput('MqttUrl', { Value: { 'Fn::Join': ['', ['mqtts://', host, ':8883']] } });
});

test('Who asks for that address may do nothing else', () => {
  const { Statement } = byPath('AWS::IAM::Policy')['StatusChannels/Topics/Address/Asked/CustomResourcePolicy']
    ?.Properties['PolicyDocument'] as { Statement: { Action: string; Resource: unknown }[] };
  expect(Statement.map(({ Action, Resource }) => [Action, nameOf(Resource)])).toEqual([
    ['iot:DescribeDomainConfiguration', 'StatusChannels/Topics'],
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
