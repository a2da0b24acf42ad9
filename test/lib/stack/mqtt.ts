import { createRules } from 'cloud-assembly-runner/iot/rules';
import { permissionsIn } from '../permissions';
import { smallTable, synthesise, type CfnResource } from '../synthesised';

const stack = synthesise({}, smallTable);
const { template, byPath, resources } = stack;
const { nameOf } = permissionsIn(stack);
const idOf = (resource: CfnResource | undefined) =>
  Object.entries(resources).find(([, found]) => found === resource)?.[0] ?? '?';

const authorizers = byPath('AWS::IoT::Authorizer');
const authorizer = authorizers['Realtime/Mqtt/Authorizer'];
const viewers = authorizers['Realtime/Broadcast/Authorizer'];
const rules = Object.values(byPath('AWS::IoT::TopicRule'));

/** Permissions of AWS IoT to invoke functions. */
const permissions = Object.entries(byPath('AWS::Lambda::Permission'))
  .filter(([path]) => path.startsWith('Realtime/Mqtt/'))
  .map(([, { Properties }]) => Properties);

test('the custom authorizer invokes the function, without token signing of its own', () => {
  expect(authorizer?.Properties).toMatchObject({ SigningDisabled: true, Status: 'ACTIVE' });
  expect(nameOf(authorizer?.Properties['AuthorizerFunctionArn'])).toBe('Realtime/Mqtt/AuthorizeConnection/Function');
});

/** The API call that a custom resource makes on a stack event. */
function callOf(type: string, stackEvent: 'Create' | 'Update' | 'Delete'): object {
  const call = Object.values(byPath(type))[0]?.Properties[stackEvent];
  return JSON.parse(call === undefined ? '{}' : nameOf(call)) as object;
}

const settings = {
  authenticationType: 'CUSTOM_AUTH',
  applicationProtocol: 'SECURE_MQTT',
  authorizerConfig: { defaultAuthorizerName: 'Realtime/Mqtt', allowAuthorizerOverride: false },
  tlsConfig: { securityPolicy: 'IoTSecurityPolicy_TLS13_1_2_2022_10' },
};
const domainConfigurationName = 'DroneMissionApi-mqtt';

test('the endpoint accepts only MQTT, on any port, with this authorizer', () => {
  expect(callOf('Custom::MqttDomainCreated', 'Create')).toMatchObject({
    action: 'createDomainConfiguration',
    parameters: { domainConfigurationName, serviceType: 'DATA', ...settings },
  });
  for (const stackEvent of ['Create', 'Update'] as const) {
    expect(callOf('Custom::MqttDomainEnabled', stackEvent)).toMatchObject({
      action: 'updateDomainConfiguration',
      parameters: { domainConfigurationName, domainConfigurationStatus: 'ENABLED', ...settings },
    });
  }
});

test('without a custom domain the address is the one that AWS IoT assigns, read once the configuration is enabled', () => {
  template.resourceCountIs('AWS::IoT::DomainConfiguration', 0);
  const [address] = Object.values(byPath('Custom::MqttDomainAddress'));
  expect(callOf('Custom::MqttDomainAddress', 'Create')).toMatchObject({
    action: 'describeDomainConfiguration',
    parameters: { domainConfigurationName },
    outputPaths: ['domainName'],
  });
  expect(address?.DependsOn).toContain(idOf(Object.values(byPath('Custom::MqttDomainEnabled'))[0]));
  const host = { 'Fn::GetAtt': [idOf(address), 'domainName'] };
  template.hasOutput('MqttUrl', { Value: { 'Fn::Join': ['', ['mqtts://', host, ':8883']] } });
});

test('the custom resources may make only their own calls, for the two configurations', () => {
  const { Policies } = byPath('AWS::IAM::Role')['Realtime/Mqtt/Managed/Role']?.Properties as {
    Policies: { PolicyDocument: { Statement: { Action: string | string[]; Resource: unknown }[] } }[];
  };
  const granted = Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .map(({ Action, Resource }) => ({ actions: [Action].flat(), resources: [Resource].flat().map(nameOf) }))
    .filter(({ actions }) => actions.some((action) => action.startsWith('iot:')));
  const actions = ['Create', 'Describe', 'Update'].map((call) => `iot:${call}DomainConfiguration`);
  const resources = ['mqtt', 'viewers'].map((purpose) => `iot:domainconfiguration/DroneMissionApi-${purpose}/*`);
  expect(granted).toEqual([{ actions, resources }]);
  expect(Object.keys(byPath('AWS::IAM::Policy')).filter((path) => /^Realtime\/(Mqtt|Broadcast)/.test(path))).toEqual(
    [],
  );
});

test('viewers connect by MQTT over WebSockets, on the host of the share page, with an authorizer of their own', () => {
  const [, create] = Object.values(byPath('Custom::MqttDomainCreated'));
  expect(JSON.parse(nameOf(create?.Properties['Create']))).toMatchObject({
    action: 'createDomainConfiguration',
    parameters: {
      ...settings,
      domainConfigurationName: 'DroneMissionApi-viewers',
      applicationProtocol: 'MQTT_WSS',
      authorizerConfig: { defaultAuthorizerName: 'Realtime/Broadcast', allowAuthorizerOverride: false },
    },
  });
  expect(nameOf(viewers?.Properties['AuthorizerFunctionArn'])).toBe('Realtime/Broadcast/AuthorizeViewer/Function');
  const [distribution] = Object.values(byPath('AWS::CloudFront::Distribution'));
  const { CacheBehaviors, Origins } = distribution?.Properties['DistributionConfig'] as {
    CacheBehaviors: { PathPattern: string; TargetOriginId: string }[];
    Origins: { Id: string; DomainName: unknown }[];
  };
  const target = CacheBehaviors.find(({ PathPattern }) => PathPattern === '/mqtt')?.TargetOriginId;
  const [, address] = Object.values(byPath('Custom::MqttDomainAddress'));
  expect(Origins.find(({ Id }) => Id === target)?.DomainName).toEqual({ 'Fn::GetAtt': [idOf(address), 'domainName'] });
});

const oauthClient = 'a1b2c3d4e5f6g7h8i9j0k1l2m3';
const consumed = [
  'presence/connected',
  'presence/disconnected',
  'subscriptions/subscribed',
  'subscriptions/unsubscribed',
];
const queries = rules.map(({ Properties }) => (Properties['TopicRulePayload'] as { Sql: string }).Sql);

/** How often the rules invoke functions for the lifecycle events of an MQTT client, also that of a failed attempt to connect. */
function invocationsFor(clientId: string): number {
  const invoke = jest.fn(() => true);
  const engine = createRules({
    lambda: { permits: () => true },
    asyncInvoker: { invoke, stop: () => Promise.resolve() },
    meter: { charge: () => undefined },
    arnOf: (name) => name,
    log: () => undefined,
  });
  for (const [index, Sql] of queries.entries()) {
    const properties = { TopicRulePayload: { Sql, Actions: [{ Lambda: { FunctionArn: 'count' } }] } };
    engine.add({ type: 'AWS::IoT::TopicRule', logicalId: `Rule${index}`, properties, metadata: {} });
  }
  for (const event of [...consumed, 'presence/connect_failed']) {
    const payload = Buffer.from(JSON.stringify({ clientId }));
    engine.route({ topic: `$aws/events/${event}/${clientId}`, clientId: undefined, payload });
  }
  return invoke.mock.calls.length;
}

test.each([
  ['of a partner', oauthClient, 4],
  ['of a partner with several connections', `${oauthClient}-control_room:1.b`, 4],
  ['of a viewer', `viewer-${'0a'.repeat(16)}`, 0],
  ['of another service of the account', 'thermostat-12', 0],
  ['of another service, whose id has a part like a partner’s', `device/${oauthClient}`, 0],
  ['of another service, whose id begins like a partner’s', `${oauthClient}/device`, 0],
  ['of the AWS console', 'iotconsole-1a2b3c4d-5e6f', 0],
])(
  'lifecycle events of a client %s, "%s", invoke the function that counts subscriptions %d times',
  (_, clientId, times) => {
    expect(invocationsFor(clientId)).toBe(times);
  },
);

test.each(rules)('rule %# invokes the function that counts subscriptions', ({ Properties }) => {
  const payload = Properties['TopicRulePayload'] as {
    AwsIotSqlVersion: string;
    RuleDisabled?: boolean;
    Actions: { Lambda: { FunctionArn: unknown } }[];
  };
  expect(payload.AwsIotSqlVersion).toBe('2016-03-23');
  expect(payload.RuleDisabled ?? false).toBe(false);
  const called = payload.Actions.map(({ Lambda }) => nameOf(Lambda.FunctionArn));
  expect(called).toEqual(['Realtime/Mqtt/CountSubscriptions/Function']);
});

test('AWS IoT may invoke each function only for its authorizer or rules', () => {
  for (const { Principal, Action } of permissions) {
    expect([Principal, Action]).toEqual(['iot.amazonaws.com', 'lambda:InvokeFunction']);
  }
  const granted = permissions.map(({ FunctionName, SourceArn }) => [
    nameOf(FunctionName).split('/')[2],
    (SourceArn as { 'Fn::GetAtt': [string, string] })['Fn::GetAtt'],
  ]);
  expect(granted).toHaveLength(1 + rules.length);
  expect(granted).toEqual(
    expect.arrayContaining([
      ['AuthorizeConnection', [idOf(authorizer), 'Arn']],
      ...rules.map((rule) => ['CountSubscriptions', [idOf(rule), 'Arn']]),
    ]),
  );
});
