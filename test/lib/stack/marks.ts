import { CfnResource, TagManager } from 'aws-cdk-lib/core';
import { addStacks } from '../../../lib/stacks';
import { newApp } from '../new-app';
import { smallTable, type CfnResource as Resource } from '../synthesised';

const boundary = 'arn:aws:iam::123456789012:policy/bound';
const app = newApp(
  {
    ...{ stage: 'staging', tags: 'costCenter=42,owner=flight', permissionsBoundaryArn: boundary },
    ...{ simulatedFleet: 'true', removeData: 'true', edgeRateLimit: '2000', webRateLimit: '100000' },
  },
  false,
);
addStacks(app, smallTable);
const assembly = app.synth();
const wanted = { service: 'drone-mission-api', stage: 'staging', costCenter: '42', owner: 'flight' };

describe.each(assembly.stacks.map((stack) => [stack.stackName, stack] as const))('%s', (_, stack) => {
  const resources = Object.entries((stack.template as { Resources: Record<string, Resource> }).Resources);

  test('bears the tags itself, with which CloudFormation marks what the template can not', () => {
    expect(stack.tags).toEqual(wanted);
  });

  test('has them on every resource of a type that takes tags', () => {
    const takers = app.node
      .findAll()
      .filter((one) => CfnResource.isCfnResource(one))
      .filter((one) => one.stack.stackName === stack.stackName && TagManager.isTaggable(one))
      .map((one) => one.stack.getLogicalId(one));
    const tagged = resources.filter(([, { Properties }]) => {
      const { Tags = [], UserPoolTags = {} } = Properties as { Tags?: object; UserPoolTags?: object };
      const list = Array.isArray(Tags) ? (Tags as { Key: string; Value: string }[]) : [];
      const tags = { ...Object.fromEntries(list.map(({ Key, Value }) => [Key, Value])), ...UserPoolTags };
      const own = Array.isArray(Tags) ? tags : { ...tags, ...Tags };
      return Object.entries(wanted).every(([key, value]) => (own as Record<string, string>)[key] === value);
    });
    expect(takers.length).toBeGreaterThan(0);
    const missing = takers.filter((id) => !tagged.some(([other]) => other === id));
    expect(missing.map((id) => id.replace(/\$.*/, ''))).toEqual([]);
  });

  test('has the boundary on every role, those of the CDK’s own functions too', () => {
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

test('There are two stacks, one of which has roles', () => {
  const roles = assembly.stacks.map(
    ({ template }) =>
      Object.values((template as { Resources: Record<string, Resource> }).Resources).filter(
        ({ Type }) => Type === 'AWS::IAM::Role',
      ).length,
  );
  expect(roles.sort((one, other) => one - other)).toEqual([0, expect.any(Number)]);
  expect(Math.max(...roles)).toBeGreaterThan(20);
});
