import { permissionsIn, policiesIn } from '../permissions';
import { smallTable, synthesise } from '../synthesised';

const bus = 'arn:aws:events:eu-west-1:210987654321:event-bus/platform';
const queue = 'arn:aws:sqs:eu-west-1:210987654321:heard';

describe('The role of the drone platform', () => {
  const stack = synthesise({}, smallTable);

  test('publishes on the bus under its own name, and manages rules of its prefix', () => {
    expect(permissionsIn(stack).permissionsOf('PlatformAccess')).toEqual([
      'Allow events:DeleteRule events:rule/Platform/Bus/platform-*',
      'Allow events:DescribeRule events:rule/Platform/Bus/platform-*',
      'Allow events:ListRules *',
      'Allow events:ListTargetsByRule events:rule/Platform/Bus/platform-*',
      'Allow events:PutEvents Platform/Bus',
      'Allow events:PutRule events:rule/Platform/Bus/platform-*',
      'Allow events:PutTargets events:rule/Platform/Bus/platform-*',
      'Allow events:RemoveTargets events:rule/Platform/Bus/platform-*',
    ]);
    const [publish] = policiesIn(stack)['PlatformAccess/Role']?.Statement ?? [];
    expect(publish?.Condition).toEqual({ StringEquals: { 'events:source': 'drone-platform' } });
  });

  test.each([
    ['the account of the stack', {}, 'arn:<>:iam::<>:root'],
    ['another account', { platformPrincipalArn: '210987654321' }, 'arn:<>:iam::210987654321:root'],
    ['a role', { platformPrincipalArn: 'arn:aws:iam::100000000000:role/p' }, 'arn:aws:iam::100000000000:role/p'],
  ])('trusts %s', (_title, context, principal) => {
    const { byPath } = synthesise(context, smallTable);
    const trust = byPath('AWS::IAM::Role')['PlatformAccess/Role']?.Properties['AssumeRolePolicyDocument'];
    const { Statement } = trust as { Statement: { Action: string; Principal: { AWS: unknown } }[] };
    expect(Statement.map(({ Action }) => Action)).toEqual(['sts:AssumeRole']);
    expect(permissionsIn(stack).nameOf(Statement[0]?.Principal.AWS)).toBe(principal);
  });
});

describe('Forwarding to the account of the drone platform', () => {
  test('is not deployed by default', () => {
    expect(synthesise({}, smallTable).byPath('AWS::Events::Rule')['Forwarding/ToPlatform']).toBeUndefined();
  });

  test.each([
    [bus, 'events:PutEvents'],
    [queue, 'sqs:SendMessage'],
  ])('to %s, with a role that may do that only, and a dead-letter queue', (platformTargetArn, action) => {
    const stack = synthesise({ platformTargetArn }, smallTable);
    const { nameOf, permissionsOf } = permissionsIn(stack);
    expect(stack.outputs).toContain('PlatformForwardingRoleArn');
    expect(permissionsOf('Forwarding')).toEqual([`Allow ${action} ${platformTargetArn}`]);
    const rule = stack.byPath('AWS::Events::Rule')['Forwarding/ToPlatform']?.Properties;
    expect(rule?.['EventPattern']).toEqual({ source: ['drone-mission-api'] });
    expect(nameOf(rule?.['EventBusName'])).toBe('Platform/Bus');
    const [target] = rule?.['Targets'] as { Arn: string; RoleArn: unknown; DeadLetterConfig: { Arn: unknown } }[];
    expect(target?.Arn).toBe(platformTargetArn);
    expect(nameOf(target?.RoleArn)).toBe('Forwarding/Role');
    expect(nameOf(target?.DeadLetterConfig.Arn)).toBe('Forwarding/Failures');
    const policy = stack.byPath('AWS::SQS::QueuePolicy')['Forwarding/Failures/Policy']?.Properties;
    expect(JSON.stringify(policy)).toContain('"Service":"events.amazonaws.com"');
  });
});
