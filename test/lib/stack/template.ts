import * as z from 'zod/mini';
import { CfnResource, TagManager, Validations } from 'aws-cdk-lib/core';
import { contract, type Contract } from '../../../contract/contract';
import { endpointTable } from '../../../contract/endpoint-table';
import type { Endpoint } from '../../../contract/terms/endpoint';
import type { MessagingTexts } from '../../../contract/messaging-texts';
import type { WebSocketAction } from '../../../contract/terms/websocket-action';
import { everyOption } from '../../../bin/deployer-policy/every-option';
import {
  smallContract,
  synthesise,
  synthesiseContract,
  type Synthesised,
  type CfnResource as Resource,
  newApp,
} from '../synthesised';
import { idleBill } from '../../bench/cost/idle';
import { addStacks } from '../../../lib/stack/stacks';
import { policiesIn } from '../permissions';

describe('Resource count', () => {
  const sizeOf = ({ resources }: Pick<Synthesised, 'resources'>) => Object.keys(resources).length;

  /** Types that a change of the contract adds, each as often as it does. */
  function added(changed: Contract): string[] {
    const typesOf = (one: Contract) => {
      const counts = new Map<string, number>();
      for (const { Type } of Object.values(synthesiseContract(one).resources))
        counts.set(Type, (counts.get(Type) ?? 0) + 1);
      return counts;
    };
    const before = typesOf(smallContract);
    return [...typesOf(changed)]
      .flatMap(([type, count]) => Array<string>(count - (before.get(type) ?? 0)).fill(type))
      .sort();
  }

  /** Resources of the functions of endpoints. */
  const FOR_ENDPOINTS = 4 * new Set(Object.values(endpointTable).map(({ handler }) => handler)).size;

  /** CloudFormation allows 500 (CloudFormation user guide, "Understand CloudFormation quotas"). */
  test.each([
    ['by default', {}],
    ['with every option', everyOption],
  ])('the largest template has at most 290 resources beside those of endpoints %s', (_, options) => {
    const { edgeRateLimit: _edge, ...own } = { edgeRateLimit: '', ...options };
    expect(sizeOf(synthesise(own))).toBeLessThanOrEqual(290 + FOR_ENDPOINTS);
  });

  test('an endpoint adds four resources', () => {
    const land: Endpoint = { ...contract.endpoints['GET /v3/jobs/{jobId}'], handler: 'jobs/get-job' };
    const endpoints = { ...smallContract.endpoints, 'GET /v3/jobs/{jobId}/landing': land };
    expect(added({ ...smallContract, endpoints })).toEqual([
      'AWS::IAM::Role',
      'AWS::Lambda::Function',
      'AWS::Lambda::Permission',
      'AWS::Logs::LogGroup',
    ]);
  });

  test('a WebSocket action adds seven resources', () => {
    const land: WebSocketAction & MessagingTexts = {
      summary: 'Land the drone',
      description: 'The drone lands where it is.',
      needs: 'viewer',
      message: z.object({ action: z.string() }),
      reply: z.object({ type: z.literal('accepted') }),
      refusals: [],
      handler: 'jobs/get-job',
      tables: { shares: ['get'] },
    };
    expect(added({ ...smallContract, actions: { ...contract.actions, land } })).toEqual([
      'AWS::ApiGatewayV2::Integration',
      'AWS::ApiGatewayV2::Route',
      'AWS::ApiGatewayV2::RouteResponse',
      'AWS::IAM::Role',
      'AWS::Lambda::Function',
      'AWS::Lambda::Permission',
      'AWS::Logs::LogGroup',
    ]);
  });

  test('API Gateway has one permission for a function', () => {
    const permissions = Object.values(synthesise().byPath('AWS::Lambda::Permission'));
    const invoked = permissions
      .filter(({ Properties: { Principal } }) => Principal === 'apigateway.amazonaws.com')
      .map(({ Properties: { FunctionName } }) => JSON.stringify(FunctionName));
    expect(invoked.length).toBeGreaterThan(20);
    expect(new Set(invoked).size).toBe(invoked.length);
  });
});

describe('Idle bill', () => {
  test('a stage with alarms costs at most $10 a month while idle', () => {
    const { dollars, lines } = idleBill(
      synthesise({ pageTopicArn: 'arn:aws:sns:us-east-1:123456789012:alarms' }).resources,
    );
    expect(dollars).toBeLessThanOrEqual(10);
    expect(lines.map(({ service }) => service)).toEqual(
      expect.arrayContaining([
        'metrics of alarms, a month',
        'dashboards, a month',
        'secrets, a month',
        'SQS requests of 64 KB',
      ]),
    );
    expect(lines.map(({ service }) => service)).not.toContain('custom metrics, a month');
  });
});

describe('Tags and boundary', () => {
  const boundary = 'arn:aws:iam::123456789012:policy/bound';
  const app = newApp(
    {
      stage: 'staging',
      tags: 'costCenter=42,owner=flight',
      permissionsBoundaryArn: boundary,
      simulatedFleet: 'true',
      removeData: 'true',
      edgeRateLimit: '2000',
      webRateLimit: '100000',
    },
    false,
  );
  addStacks(app, smallContract);
  const assembly = app.synth();
  const expected = { service: 'drone-mission-api', stage: 'staging', costCenter: '42', owner: 'flight' };

  describe.each(assembly.stacks.map((stack) => [stack.stackName, stack] as const))('%s', (_, stack) => {
    const resources = Object.entries((stack.template as { Resources: Record<string, Resource> }).Resources);

    test('has the tags itself, which CloudFormation adds to resources that the template can’t tag', () => {
      expect(stack.tags).toEqual(expected);
    });

    test('has them on every taggable resource', () => {
      const taggable = app.node
        .findAll()
        .filter((one) => CfnResource.isCfnResource(one))
        .filter((one) => one.stack.stackName === stack.stackName && TagManager.isTaggable(one))
        .map((one) => one.stack.getLogicalId(one));
      const tagged = resources.filter(([, { Properties }]) => {
        const { Tags = [], UserPoolTags = {} } = Properties as { Tags?: object; UserPoolTags?: object };
        const list = Array.isArray(Tags) ? (Tags as { Key: string; Value: string }[]) : [];
        const tags = { ...Object.fromEntries(list.map(({ Key, Value }) => [Key, Value])), ...UserPoolTags };
        const own = Array.isArray(Tags) ? tags : { ...tags, ...Tags };
        return Object.entries(expected).every(([key, value]) => (own as Record<string, string>)[key] === value);
      });
      expect(taggable.length).toBeGreaterThan(0);
      const missing = taggable.filter((id) => !tagged.some(([other]) => other === id));
      expect(missing.map((id) => id.replace(/\$.*/, ''))).toEqual([]);
    });

    test('has the boundary on every role, including those of the CDK’s own functions', () => {
      const roles = resources.filter(([, { Type }]) => Type === 'AWS::IAM::Role');
      expect(roles.filter(([, { Properties }]) => Properties['PermissionsBoundary'] !== boundary)).toEqual([]);
      const passed = new Set(
        resources
          .filter(([, { Type }]) => Type === 'AWS::Lambda::Function')
          .map(([, { Properties }]) => (Properties['Role'] as { 'Fn::GetAtt': [string, string] })['Fn::GetAtt'][0]),
      );
      const ids = roles.map(([id]) => id);
      expect([...passed].filter((id) => !ids.includes(id))).toEqual([]);
    });
  });

  test('the app has two stacks, one of which has roles', () => {
    const roles = assembly.stacks.map(
      ({ template }) =>
        Object.values((template as { Resources: Record<string, Resource> }).Resources).filter(
          ({ Type }) => Type === 'AWS::IAM::Role',
        ).length,
    );
    expect(roles.sort((one, other) => one - other)).toEqual([0, expect.any(Number)]);
    expect(Math.max(...roles)).toBeGreaterThan(20);
  });
});

describe('Nag acknowledgements', () => {
  /** Which of cdk-nag's two rules on web ACLs are acknowledged in the app. */
  function acknowledged(options: Record<string, string>): string[] {
    const app = newApp(options);
    addStacks(app, smallContract);
    return app.node
      .findAll()
      .flatMap(({ node }) => node.metadata.filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY))
      .flatMap(({ data }) => JSON.stringify(data).match(/AwsSolutions-(APIG3|CFR2)/g) ?? [])
      .sort();
  }

  test.each([
    [{}, ['AwsSolutions-APIG3', 'AwsSolutions-CFR2']],
    [{ webRateLimit: '100000' }, ['AwsSolutions-CFR2']],
    [{ cloudFrontWebAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/edge/1-2' }, ['AwsSolutions-APIG3']],
  ])('a missing web ACL is acknowledged only where there is none, with %j', (options, rules) => {
    expect(acknowledged(options)).toEqual(rules);
  });
});

describe('Wildcards', () => {
  /** Actions without resource-level permissions (AWS service authorization reference). */
  const withoutResource = [
    'xray:PutTraceSegments',
    'xray:PutTelemetryRecords',
    'dynamodb:ListStreams',
    'events:ListRules',
  ];

  const policies = Object.entries(policiesIn(synthesise({ simulatedFleet: 'true' })));

  test('only actions without resource-level permissions are granted on *', () => {
    const onAnyResource = policies.flatMap(([path, { Statement }]) =>
      Statement.filter(({ Resource }) => [Resource].flat().includes('*'))
        .flatMap(({ Action }) => Action)
        .filter((action) => !withoutResource.includes(action))
        .map((action) => `${path} ${action}`),
    );
    expect(policies.length).toBeGreaterThan(35);
    expect(onAnyResource).toEqual([]);
  });
});
