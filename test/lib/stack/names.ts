import { checkNames, nameRules } from 'cloud-assembly-runner/cloudformation/name-rules';
import { resolve } from 'cloud-assembly-runner/cloudformation/intrinsics';
import { parseTemplate, scopeOf } from 'cloud-assembly-runner/cloudformation/template';
import { everyTemplate } from '../every-template';

const templates = everyTemplate();

/** Types whose resources have no name that a template could give, or that its service would refuse. */
const nameless = [
  ...[
    'Account',
    'Authorizer',
    'BasePathMapping',
    'Deployment',
    'DomainName',
    'GatewayResponse',
    'Method',
    'Resource',
  ].map((type) => `AWS::ApiGateway::${type}`),
  'AWS::ApiGateway::UsagePlan',
  ...['Integration', 'Route', 'RouteResponse'].map((type) => `AWS::ApiGatewayV2::${type}`),
  'AWS::CloudFront::Distribution',
  'AWS::Cognito::UserPool',
  'AWS::S3::BucketPolicy',
  'AWS::SQS::QueuePolicy',
  ...['EventInvokeConfig', 'EventSourceMapping', 'Permission'].map((type) => `AWS::Lambda::${type}`),
  'AWS::WAFv2::WebACLAssociation',
];

test.each(templates.map((template) => [template.stackName, template] as const))(
  'the services accept each name in %s',
  (stackName, { resources }) => {
    const find = (logicalId: string) => ({
      ref: logicalId,
      attribute: () => `arn:aws:service:region:account:${logicalId}`,
    });
    const scope = scopeOf(parseTemplate({ Resources: {} }), stackName, find);
    const faults = Object.entries(resources).flatMap(([logicalId, { Type, Properties }]) => {
      try {
        checkNames(logicalId, Type, resolve(Properties, scope));
        return [];
      } catch (error) {
        return [String(error)];
      }
    });
    expect(faults).toEqual([]);
  },
);

test('each type has rules for its names, or no name', () => {
  const ruled = new Set(nameRules.map(({ type }) => type));
  const types = templates.flatMap(({ resources }) => Object.values(resources).map(({ Type }) => Type));
  const used = [...new Set(types)].filter((type) => type.startsWith('AWS::'));
  expect(used.filter((type) => !ruled.has(type) && !nameless.includes(type))).toEqual([]);
  expect(nameless.filter((type) => ruled.has(type))).toEqual([]);
});
