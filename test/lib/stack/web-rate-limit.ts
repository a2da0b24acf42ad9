import { Template } from 'aws-cdk-lib/assertions';
import { parseTemplate } from 'cloud-assembly-runner/cloudformation/template';
import {
  compileViewerFunction,
  viewerFunctionSources,
} from 'cloud-assembly-runner/cloudfront/functions/viewer-function';
import { endpointTable, splitEndpointKey } from '../../../contract/endpoint-table';
import type { EndpointKey } from '../../../contract/endpoints';
import { stackName } from '../../../lib/stack/drone-mission-api-stack';
import { addStacks } from '../../../lib/stack/stacks';
import { smallContract, smallTable, synthesise, newApp } from '../synthesised';

const webAclArn = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/edge/11111111-2222-3333-4444-555555555555';
const COMMANDS = 'POST /v3/devices/{deviceId}/commands';

/** A statement of WAF, as far as it is used here. */
interface Statement {
  readonly ByteMatchStatement?: {
    readonly FieldToMatch: object;
    readonly PositionalConstraint: string;
    readonly SearchString: string;
  };
  readonly AndStatement?: { readonly Statements: readonly Statement[] };
  readonly NotStatement?: { readonly Statement: Statement };
}

const stacksOf = (context: Record<string, string>) => {
  const app = newApp({ edgeRateLimit: '2000', ...context }, false);
  addStacks(app, smallContract);
  return app.synth().stacks;
};

describe('webRateLimit', () => {
  const limited = synthesise({ webRateLimit: '100000' }, smallTable);
  const [acl] = Object.values(limited.byPath('AWS::WAFv2::WebACL'));

  test('answers 429 in the shape of the contract to an IP address that exceeds the limit', () => {
    expect(acl?.Properties).toMatchObject({
      Scope: 'REGIONAL',
      DefaultAction: { Allow: {} },
      Rules: ['RequestsOfAnAddress', 'CommandsOfAnAddress'].map((Name, Priority) => ({
        Name,
        Priority,
        Statement: { RateBasedStatement: { Limit: 100_000, EvaluationWindowSec: 300, AggregateKeyType: 'IP' } },
        Action: { Block: { CustomResponse: { ResponseCode: 429, CustomResponseBodyKey: 'RequestsOfAnAddress' } } },
      })),
      CustomResponseBodies: {
        RequestsOfAnAddress: { ContentType: 'APPLICATION_JSON', Content: '{"error":"Too many requests"}' },
      },
    });
  });

  /** Whether WAF would count a request by a statement of the kinds that are used here. */
  function matches(statement: Statement, request: { method: string; path: string }): boolean {
    const { ByteMatchStatement: match, AndStatement: and, NotStatement: not } = statement;
    if (and) return and.Statements.every((each) => matches(each, request));
    if (not) return !matches(not.Statement, request);
    if (!match) throw new Error('an unknown statement');
    const value = 'Method' in match.FieldToMatch ? request.method : request.path;
    return match.PositionalConstraint === 'EXACTLY' ? value === match.SearchString : value.endsWith(match.SearchString);
  }

  test.each<[string, string, string]>([
    ...(Object.keys(endpointTable) as EndpointKey[]).map((key): [string, string, string] => {
      const { method, path } = splitEndpointKey(key);
      return [method, path, key === COMMANDS ? 'CommandsOfAnAddress' : 'RequestsOfAnAddress'];
    }),
    ['POST', '/live/v3/devices/device-1/commands', 'CommandsOfAnAddress'],
  ])('counts %s %s by the rule %s alone, so that nothing else uses up a stop', (method, path, rule) => {
    const rules = acl?.Properties['Rules'] as {
      readonly Name: string;
      readonly Statement: { readonly RateBasedStatement: { readonly ScopeDownStatement: Statement } };
    }[];
    const counting = rules.filter(({ Statement: { RateBasedStatement: of } }) =>
      matches(of.ScopeDownStatement, { method, path }),
    );
    expect(counting.map(({ Name }) => Name)).toEqual([rule]);
  });

  test('is associated with the stage of the REST API', () => {
    const [association] = Object.values(limited.byPath('AWS::WAFv2::WebACLAssociation'));
    const arn = JSON.stringify(association?.Properties['ResourceArn']);
    const [api] = Object.entries(limited.resources).find(([, { Type }]) => Type === 'AWS::ApiGateway::RestApi') ?? [];
    const [stage] = Object.entries(limited.resources).find(([, { Type }]) => Type === 'AWS::ApiGateway::Stage') ?? [];
    expect(arn).toContain(`{"Ref":"${api}"},"/stages/",{"Ref":"${stage}"}`);
  });

  test('keeps no sampled requests, which would contain tokens and share codes', () => {
    expect(JSON.stringify(acl)).not.toContain('"SampledRequestsEnabled":true');
    expect(JSON.stringify(acl).match(/"SampledRequestsEnabled":false/g)).toHaveLength(3);
  });

  test('adds nothing by default', () => {
    expect(synthesise({}, smallTable).byPath('AWS::WAFv2::WebACL')).toEqual({});
  });
});

describe('cloudFrontWebAclArn', () => {
  test('is the web ACL of the distribution of channels and share page', () => {
    const { template } = synthesise({ cloudFrontWebAclArn: webAclArn }, smallTable);
    template.hasResourceProperties('AWS::CloudFront::Distribution', { DistributionConfig: { WebACLId: webAclArn } });
  });
});

describe('edgeRateLimit', () => {
  test('adds a stack in us-east-1 with a web ACL for CloudFront and its ARN as output', () => {
    const stacks = stacksOf({ stage: 'staging' });
    expect(stacks.map(({ stackName: name }) => name).sort()).toEqual([
      'DroneMissionApi-staging',
      'DroneMissionApi-staging-edge',
    ]);
    const edge = stacks.find(({ stackName: name }) => name.endsWith('-edge'));
    expect(edge?.environment).toMatchObject({ account: 'unknown-account', region: 'us-east-1' });
    const template = Template.fromJSON(edge?.template as Record<string, unknown>);
    template.hasResourceProperties('AWS::WAFv2::WebACL', {
      Scope: 'CLOUDFRONT',
      Rules: [
        {
          Statement: { RateBasedStatement: { Limit: 2000, EvaluationWindowSec: 300, AggregateKeyType: 'IP' } },
        },
      ],
    });
    template.hasOutput('CloudFrontWebAclArn', { Value: { 'Fn::GetAtt': [expectId(template), 'Arn'] } });
  });

  test('is the only option that adds a second stack', () => {
    const more = { webRateLimit: '100000', cloudFrontWebAclArn: webAclArn, edgeRateLimit: '' };
    expect(stacksOf(more).map(({ stackName: name }) => name)).toEqual([stackName(undefined)]);
  });
});

const expectId = (template: Template): string => Object.keys(template.findResources('AWS::WAFv2::WebACL'))[0] ?? '';

describe('The CloudFront functions', () => {
  const sources = viewerFunctionSources(parseTemplate(synthesise({}, smallTable).template.toJSON()));

  test.each(Object.entries(sources))('%s uses only what the runtime supports', (_id, FunctionCode) => {
    const FunctionConfig = { Runtime: 'cloudfront-js-2.0' } as const;
    const compile = () => compileViewerFunction({ Name: 'given', FunctionCode, FunctionConfig }, () => undefined);
    expect(compile).not.toThrow();
  });

  test('are the three in the template', () => {
    expect(Object.keys(sources)).toHaveLength(3);
  });
});
