/** What the rollback of a first deployment and the deletion of the stack leave behind (docs/deploying.md). */
import { createIot } from 'cloud-assembly-runner/iot';
import { smallTable, synthesise as synthesiseWith, type CfnResource, type Synthesised } from '../synthesised';
import { permissionsIn } from '../permissions';

/**
 * Creation and deletion of a stack's authorizers and managed domain configurations, as CloudFormation does it, on the
 * IoT Core of `local/`.
 */
type Stack = Pick<Synthesised, 'byPath' | 'resources'>;

interface Call {
  readonly action: string;
  readonly parameters: unknown;
  readonly ignoreErrorCodesMatching?: string;
}

const isOfIot = ({ Type }: CfnResource) => Type === 'AWS::IoT::Authorizer' || Type.startsWith('Custom::MqttDomain');

/**
 * Logical ids in an order in which CloudFormation creates them: after all that they refer to; it deletes in the reverse
 * order.
 */
function iotResources({ resources }: Stack): string[] {
  const ordered: string[] = [];
  const visited = new Set<string>();
  const visit = (id: string): void => {
    const resource = Object.hasOwn(resources, id) ? resources[id] : undefined;
    if (!resource || visited.has(id)) return;
    visited.add(id);
    const refs = JSON.stringify([resource.Properties, resource.DependsOn]).match(/\w+/g) ?? [];
    for (const ref of refs) visit(ref);
    if (isOfIot(resource)) ordered.push(id);
  };
  for (const id of Object.keys(resources)) visit(id);
  return ordered;
}

function iotDeletion(stack: Stack) {
  const { nameOf } = permissionsIn(stack);
  const { deploymentApi: api, create } = createIot({
    region: 'eu-central-1',
    accountId: '123456789012',
    port: 0,
    certificate: { key: '', cert: '' },
    lambda: { invoke: () => Promise.resolve(null), permits: () => true },
    log: () => undefined,
  });
  const authorizerName = (id: string) => nameOf({ Ref: id });

  /** Makes the call of a custom resource on a stack event, if it has one. */
  function run({ Properties }: CfnResource, stackEvent: 'Create' | 'Delete'): void {
    const text = Properties[stackEvent];
    if (text === undefined) return;
    const { action, parameters, ignoreErrorCodesMatching = '^$' } = JSON.parse(nameOf(text)) as Call;
    try {
      api.call(action, parameters);
    } catch (error) {
      if (!(error instanceof Error) || !new RegExp(ignoreErrorCodesMatching).test(error.name)) throw error;
    }
  }

  const resourceOf = (id: string): CfnResource => {
    const found = stack.resources[id];
    if (!found) throw new Error(`There is no ${id}`);
    return found;
  };

  return {
    create(id: string): void {
      const resource = resourceOf(id);
      if (resource.Type !== 'AWS::IoT::Authorizer') {
        run(resource, 'Create');
        return;
      }
      const properties = {
        AuthorizerName: authorizerName(id),
        AuthorizerFunctionArn: 'f',
        SigningDisabled: true,
        Status: 'ACTIVE',
      };
      void create({ type: resource.Type, logicalId: id, properties, metadata: {} });
    },

    /** CloudFormation's handler of an authorizer sets it inactive and deletes it. */
    remove(id: string): void {
      const resource = resourceOf(id);
      if (resource.Type !== 'AWS::IoT::Authorizer') {
        run(resource, 'Delete');
        return;
      }
      api.call('updateAuthorizer', { authorizerName: authorizerName(id), status: 'INACTIVE' });
      api.call('deleteAuthorizer', { authorizerName: authorizerName(id) });
    },

    statusOf: (domainConfigurationName: string) =>
      api.call('describeDomainConfiguration', { domainConfigurationName })['domainConfigurationStatus'],
  };
}

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
