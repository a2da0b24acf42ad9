/** What the rollback of a first deployment and the deletion of the stack leave behind (docs/deploying.md). */
import { smallTable, synthesise as synthesiseWith } from '../synthesised';
import { iotDeletion, iotResources } from './iot-deletion';

/** Routes and their functions are stateless, so a small table is enough. */
const synthesise = (context: Record<string, string> = {}) => synthesiseWith(context, smallTable);
const mqttCertificateArn = 'arn:aws:acm:eu-west-1:123456789012:certificate/abc';

describe.each([
  ['by default', {}],
  ['with removeData', { removeData: 'true' }],
  ['with a domain for MQTT', { mqttDomainName: 'mqtt.example.com', mqttCertificateArn }],
])('The rollback of a first deployment, or the deletion of a stack, %s', (_, context: Record<string, string>) => {
  const stack = synthesise(context);
  const { resources, byPath } = stack;
  const deleted = Object.entries(resources).filter(([, { DeletionPolicy = 'Delete' }]) => DeletionPolicy === 'Delete');
  const deletedOf = (type: string) => deleted.filter(([, { Type }]) => Type === type);

  test('retains tables and user pool with deletion protection', () => {
    for (const [, { Properties }] of [...deletedOf('AWS::DynamoDB::Table'), ...deletedOf('AWS::Cognito::UserPool')]) {
      expect([
        Properties['DeletionProtectionEnabled'] ?? false,
        Properties['DeletionProtection'] ?? 'INACTIVE',
      ]).toEqual([false, 'INACTIVE']);
    }
  });

  test('empties each bucket before deleting it, or retains it', () => {
    const emptied = Object.values(byPath('Custom::S3AutoDeleteObjects')).map(
      ({ Properties }) => (Properties['BucketName'] as { Ref: string }).Ref,
    );
    expect(
      deletedOf('AWS::S3::Bucket')
        .map(([id]) => id)
        .sort(),
    ).toEqual(emptied.sort());
    expect(emptied).toHaveLength(context['removeData'] ? 2 : 0);
  });

  test('leaves the AWS managed domain configurations, which a new stack finds by their names, disabled', () => {
    for (const [, { Properties }] of deletedOf('AWS::IoT::DomainConfiguration')) {
      expect(Properties).toHaveProperty('DomainName');
    }
    const found = Object.values(byPath('Custom::MqttDomainCreated')).map(({ Properties }) => Properties['Create']);
    for (const create of found) expect(JSON.stringify(create)).toContain('ResourceAlreadyExistsException');
    const { create, remove, statusOf } = iotDeletion(stack);
    for (const id of iotResources(stack)) create(id);
    for (const id of iotResources(stack).reverse()) remove(id);
    expect(['mqtt', 'viewers'].map((purpose) => statusOf(`DroneMissionApi-${purpose}`))).toEqual([
      'DISABLED',
      'DISABLED',
    ]);
  });

  test('deletes the authorizers, which a disabled configuration must not name, wherever the creation has ended', () => {
    const ids = iotResources(stack);
    expect(ids).toHaveLength(8);
    for (const created of ids.keys()) {
      const { create, remove } = iotDeletion(stack);
      const some = ids.slice(0, created + 1);
      for (const id of some) create(id);
      for (const id of some.reverse()) remove(id);
    }
  });

  test('retains or deletes the resource server together with the pool', () => {
    const policies = [
      ...Object.values(byPath('AWS::Cognito::UserPool')),
      ...Object.values(byPath('AWS::Cognito::UserPoolResourceServer')),
    ];
    expect(new Set(policies.map(({ DeletionPolicy }) => DeletionPolicy)).size).toBe(1);
  });
});

/** Deletion policy of each type, by default and with removeData (docs/deploying.md). */
const deletionPolicies: readonly (readonly [type: string, byDefault: string, withRemoveData: string])[] = [
  ['AWS::DynamoDB::Table', 'Retain', 'Delete'],
  ['AWS::Cognito::UserPool', 'Retain', 'Delete'],
  ['AWS::Cognito::UserPoolResourceServer', 'Retain', 'Delete'],
  ['AWS::S3::Bucket', 'Retain', 'Delete'],
  ['AWS::ApiGateway::Account', 'Retain', 'Retain'],
  ...[
    'AWS::ApiGateway::RestApi',
    'AWS::ApiGatewayV2::Api',
    'AWS::CloudFront::Distribution',
    'AWS::Cognito::UserPoolDomain',
    'AWS::Events::EventBus',
    'AWS::Events::Archive',
    'AWS::SQS::Queue',
    'AWS::Scheduler::ScheduleGroup',
    'AWS::Logs::LogGroup',
    'AWS::SecretsManager::Secret',
  ].map((type) => [type, 'Delete', 'Delete'] as const),
];

test.each(deletionPolicies)(
  '%s has the deletion policy %s, and %s with removeData',
  (type, byDefault, withRemoveData) => {
    const policiesIn = (context: Record<string, string>) => {
      const found = Object.values(synthesise(context).byPath(type));
      expect(found.length).toBeGreaterThan(0);
      return new Set(found.map(({ DeletionPolicy = 'Delete' }) => DeletionPolicy));
    };
    expect(policiesIn({})).toEqual(new Set([byDefault]));
    expect(policiesIn({ removeData: 'true' })).toEqual(new Set([withRemoveData]));
  },
);

test('retained resources have generated names, so that the stack can be created again', () => {
  const retained = Object.values(synthesise().resources).filter(({ DeletionPolicy }) => DeletionPolicy === 'Retain');
  expect(retained.length).toBeGreaterThan(8);
  const named = retained.filter(({ Properties }) =>
    ['TableName', 'UserPoolName', 'BucketName', 'RoleName'].some((name) => name in Properties),
  );
  expect(named).toEqual([]);
});
