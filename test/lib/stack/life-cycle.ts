/** What happens to what the stack keeps when it is created, updated, rolled back and destroyed (docs/operations.md). */
import { fullDiff, ResourceImpact } from '@aws-cdk/cloudformation-diff';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { smallTable, synthesise as synthesiseWith, type CfnResource } from '../synthesised';

/** Routes and their functions keep nothing. */
const synthesise = (context: Record<string, string> = {}) => synthesiseWith(context, smallTable);

/** Types whose replacement loses data, or an address or a credential that somebody outside holds. */
const stateful: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::RestApi': 'its id is the address that partners call',
  'AWS::ApiGateway::UsagePlan': 'the API keys of partners are under it',
  'AWS::ApiGatewayV2::Api': 'every open connection is of it',
  'AWS::CloudFront::Distribution': 'its domain name is the address of channels and share links',
  'AWS::Cognito::UserPool': 'every client of a partner is in it',
  'AWS::Cognito::UserPoolDomain': 'tokens are asked for there',
  'AWS::Cognito::UserPoolResourceServer': 'every scope of a client is of it',
  'AWS::DynamoDB::Table': 'it holds data',
  'AWS::Events::Archive': 'it holds a fortnight of events',
  'AWS::Events::EventBus': 'the drone platform sends its events there',
  'AWS::IoT::DomainConfiguration': 'partners connect there',
  'AWS::S3::Bucket': 'pages that are open load their files from it',
  'AWS::SQS::Queue': 'it holds messages',
  'AWS::Scheduler::ScheduleGroup': 'it holds the ends of shares',
  'Custom::MqttDomainCreated': 'partners connect there',
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

/** Stateful resources that CloudFormation would replace, delete or let go of in an update, as the CDK's diff tells. */
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
/** Each choice alone, as it may be made later. */
const choices: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  removeData: { removeData: 'true' },
  domainName: { domainName: 'api.example.com', certificateArn: certificate('eu-west-1') },
  webSocketDomainName: {
    webSocketDomainName: 'channels.example.com',
    webSocketCertificateArn: certificate('us-east-1'),
  },
  mqttDomainName: { mqttDomainName: 'mqtt.example.com', mqttCertificateArn: certificate('eu-west-1') },
  shareBaseUrl: { shareBaseUrl: 'https://share.example.com' },
  alarmTopicArn: { alarmTopicArn: 'arn:aws:sns:eu-west-1:123456789012:on-call' },
  mapTileUrl: { mapTileUrl: 'none' },
  simulatedFleet: { simulatedFleet: 'true' },
  webRateLimit: { webRateLimit: '100000' },
  cloudFrontWebAclArn: { cloudFrontWebAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/edge/1-2' },
  tags: { tags: 'costCenter=42' },
  permissionsBoundaryArn: { permissionsBoundaryArn: 'arn:aws:iam::123456789012:policy/bound' },
};

describe('An update', () => {
  test.each(Object.keys(choices))('that switches %s on replaces and deletes nothing that is kept', (name) => {
    expect(lossesBetween(base.resources, synthesise(choices[name]).resources)).toEqual([]);
  });

  test.each([
    ['domainName', ['AWS::Cognito::UserPoolResourceServer']],
    ['mqttDomainName', ['AWS::IoT::DomainConfiguration']],
    ['simulatedFleet', ['AWS::DynamoDB::Table', 'AWS::SQS::Queue']],
  ])('that switches %s off again lets go of what came with it alone', (name, types) => {
    const losses = lossesBetween(synthesise(choices[name]).resources, base.resources);
    expect(losses.map((loss) => loss.split(' ')[1]).sort()).toEqual(types);
  });

  test('that changes a replacing property of what is kept, or its logical id, is seen', () => {
    const [id = '', server] =
      Object.entries(base.resources).find(([, { Type }]) => Type.endsWith('ResourceServer')) ?? [];
    const renamed = { ...server, Properties: { ...server?.Properties, Identifier: 'other' } } as CfnResource;
    expect(lossesBetween(base.resources, { ...base.resources, [id]: renamed })).toEqual([
      `WILL_REPLACE AWS::Cognito::UserPoolResourceServer ${id}`,
    ]);
    const { [id]: _gone, ...others } = base.resources;
    expect(lossesBetween(base.resources, others)).toEqual([`WILL_ORPHAN AWS::Cognito::UserPoolResourceServer ${id}`]);
  });

  /** What is deployed somewhere, as far as we know: what was confirmed last. */
  test('from what was confirmed last replaces and deletes nothing that is kept', () => {
    const file = join(__dirname, 'stateful-resources.json');
    const all = onlyStateful(
      synthesise(Object.assign({}, ...Object.values(choices)) as Record<string, string>).resources,
    );
    const plain = Object.fromEntries(
      Object.entries(all).map(([id, { Metadata: _metadata, ...resource }]) => [id, resource]),
    );
    // To confirm a loss that is meant: CONFIRM_STATEFUL=yes npx jest test/lib/stack.test.ts, and a line in docs/operations.md.
    if (process.env['CONFIRM_STATEFUL'] === 'yes') writeFileSync(file, `${JSON.stringify(plain, undefined, 2)}\n`);
    const confirmed = JSON.parse(readFileSync(file, 'utf8')) as Resources;
    expect(Object.keys(confirmed).length).toBeGreaterThan(20);
    expect(lossesBetween(confirmed, all)).toEqual([]);
  });
});

describe.each([
  ['by default', {}],
  ['with removeData', { removeData: 'true' }],
  ['with a domain for MQTT', choices['mqttDomainName'] ?? {}],
])(
  'A first deployment that is rolled back, and a stack that is destroyed, %s',
  (_, context: Record<string, string>) => {
    const { resources, byPath } = synthesise(context);
    const deleted = Object.entries(resources).filter(
      ([, { DeletionPolicy = 'Delete' }]) => DeletionPolicy === 'Delete',
    );
    const deletedOf = (type: string) => deleted.filter(([, { Type }]) => Type === type);

    test('ends without what is protected from deletion: that is retained', () => {
      for (const [, { Properties }] of [...deletedOf('AWS::DynamoDB::Table'), ...deletedOf('AWS::Cognito::UserPool')]) {
        expect([
          Properties['DeletionProtectionEnabled'] ?? false,
          Properties['DeletionProtection'] ?? 'INACTIVE',
        ]).toEqual([false, 'INACTIVE']);
      }
    });

    test('ends without a bucket that holds files: it is emptied, or retained', () => {
      const emptied = Object.values(byPath('Custom::S3AutoDeleteObjects')).map(
        ({ Properties }) => (Properties['BucketName'] as { Ref: string }).Ref,
      );
      expect(deletedOf('AWS::S3::Bucket').map(([id]) => id)).toEqual(emptied);
      expect(emptied).toHaveLength(context['removeData'] ? 1 : 0);
    });

    test('ends without a domain configuration that AWS manages: that is disabled, and found again by its name', () => {
      for (const [, { Properties }] of deletedOf('AWS::IoT::DomainConfiguration')) {
        expect(Properties).toHaveProperty('DomainName');
      }
      const [created] = Object.values(byPath('Custom::MqttDomainCreated'));
      const [enabled] = Object.values(byPath('Custom::MqttDomainEnabled'));
      expect(created?.Properties).not.toHaveProperty('Delete');
      expect(JSON.stringify(created?.Properties['Create'])).toContain('ResourceAlreadyExistsException');
      expect(JSON.parse(String(enabled?.Properties['Delete']))).toMatchObject({
        action: 'updateDomainConfiguration',
        parameters: { domainConfigurationName: 'DroneMissionApi-mqtt', domainConfigurationStatus: 'DISABLED' },
      });
    });

    test('keeps the resource server with the pool, or deletes both', () => {
      const policies = [
        ...Object.values(byPath('AWS::Cognito::UserPool')),
        ...Object.values(byPath('AWS::Cognito::UserPoolResourceServer')),
      ];
      expect(new Set(policies.map(({ DeletionPolicy }) => DeletionPolicy)).size).toBe(1);
    });
  },
);

/** What becomes of each type when the stack is deleted: by default, and with removeData (docs/operations.md). */
const fates: readonly (readonly [type: string, byDefault: string, withRemoveData: string])[] = [
  ['AWS::DynamoDB::Table', 'Retain', 'Delete'],
  ['AWS::Cognito::UserPool', 'Retain', 'Delete'],
  ['AWS::Cognito::UserPoolResourceServer', 'Retain', 'Delete'],
  ['AWS::S3::Bucket', 'Retain', 'Delete'],
  ['AWS::ApiGateway::Account', 'Retain', 'Retain'],
  ...[
    ...['AWS::ApiGateway::RestApi', 'AWS::ApiGatewayV2::Api', 'AWS::CloudFront::Distribution'],
    ...['AWS::Cognito::UserPoolDomain', 'AWS::Events::EventBus', 'AWS::Events::Archive', 'AWS::SQS::Queue'],
    ...['AWS::Scheduler::ScheduleGroup', 'AWS::Logs::LogGroup', 'AWS::SecretsManager::Secret'],
  ].map((type) => [type, 'Delete', 'Delete'] as const),
];

test.each(fates)('%s: %s when the stack is deleted, %s with removeData', (type, byDefault, withRemoveData) => {
  const policiesIn = (context: Record<string, string>) => {
    const found = Object.values(synthesise(context).byPath(type));
    expect(found.length).toBeGreaterThan(0);
    return new Set(found.map(({ DeletionPolicy = 'Delete' }) => DeletionPolicy));
  };
  expect(policiesIn({})).toEqual(new Set([byDefault]));
  expect(policiesIn({ removeData: 'true' })).toEqual(new Set([withRemoveData]));
});

test('Nothing that is retained has a name that would stand in the way when the stack is created again', () => {
  const retained = Object.values(base.resources).filter(({ DeletionPolicy }) => DeletionPolicy === 'Retain');
  expect(retained.length).toBeGreaterThan(8);
  const named = retained.filter(({ Properties }) =>
    ['TableName', 'UserPoolName', 'BucketName', 'RoleName'].some((name) => name in Properties),
  );
  expect(named).toEqual([]);
});
