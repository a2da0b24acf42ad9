/** Which stateful resources an update of the stack keeps (docs/deploying.md). */
import { fullDiff, ResourceImpact } from '@aws-cdk/cloudformation-diff';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { smallTable, synthesise as synthesiseWith, type CfnResource } from '../synthesised';

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

describe('An update', () => {
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
