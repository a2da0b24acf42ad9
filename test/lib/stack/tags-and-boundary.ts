import { CfnResource, TagManager } from 'aws-cdk-lib/core';
import { addStacks } from '../../../lib/stack/stacks';
import { newApp } from '../new-app';
import { smallContract, type CfnResource as Resource } from '../synthesised';

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
