import { createIam } from '../../iam';
import { evaluate } from '../../iam/policy';

const policy = (Action: string, Resource = '*') => ({ Statement: [{ Effect: 'Allow', Action, Resource }] });
const role = (properties: Record<string, unknown>) => ({
  logicalId: 'Role',
  type: 'AWS::IAM::Role',
  properties,
  metadata: {},
});
const attached = (type: string, logicalId: string, PolicyDocument: object) => ({
  logicalId,
  type,
  properties: { PolicyDocument, Roles: ['Role'] },
  metadata: {},
});

describe('IAM', () => {
  test('collects inline, attached and managed policies of a role', async () => {
    const iam = createIam();
    const { ref, attributes } = await iam.create(
      role({
        Policies: [{ PolicyName: 'inline', PolicyDocument: policy('a:Inline') }],
        ManagedPolicyArns: ['arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole'],
      }),
    );
    await iam.create(attached('AWS::IAM::Policy', 'Policy', policy('a:Attached')));
    await iam.create(attached('AWS::IAM::ManagedPolicy', 'Managed', policy('a:Managed')));
    expect(ref).toBe('Role');
    const documents = iam.policiesOf(attributes?.['Arn'] ?? '');
    const decisions = ['a:Inline', 'a:Attached', 'a:Managed', 'logs:PutLogEvents', 'a:Other'].map((action) =>
      evaluate(documents, { action, resource: 'r' }),
    );
    expect(decisions).toEqual(['allow', 'allow', 'allow', 'allow', 'implicitDeny']);
  });

  test('includes a managed policy by ARN', async () => {
    const iam = createIam();
    const unattached = attached('AWS::IAM::ManagedPolicy', 'Managed', policy('a:Managed'));
    const { ref } = await iam.create({ ...unattached, properties: { PolicyDocument: policy('a:Managed') } });
    const { attributes } = await iam.create(role({ ManagedPolicyArns: [ref] }));
    const documents = iam.policiesOf(attributes?.['Arn'] ?? '');
    expect(evaluate(documents, { action: 'a:Managed', resource: 'r' })).toBe('allow');
  });

  test('refuses an unsupported AWS managed policy by name', async () => {
    const iam = createIam();
    const create = async () => iam.create(role({ ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'] }));
    await expect(create()).rejects.toThrow('AdministratorAccess');
  });

  test('trusts only the services that a role allows sts:AssumeRole', async () => {
    const iam = createIam();
    const statement = (Effect: string, Action: string, Service: string | string[]) => ({
      Effect,
      Action,
      Principal: { Service },
    });
    const Statement = [
      statement('Allow', 'sts:AssumeRole', ['scheduler.amazonaws.com', 'lambda.amazonaws.com']),
      statement('Allow', 'sts:TagSession', 'events.amazonaws.com'),
      statement('Deny', 'sts:AssumeRole', 'iot.amazonaws.com'),
      { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { AWS: 'arn:aws:iam::000000000000:root' } },
    ];
    const { attributes } = await iam.create(role({ AssumeRolePolicyDocument: { Statement } }));
    const trusted = ['scheduler', 'lambda', 'events', 'iot'].filter((name) =>
      iam.trusts(attributes?.['Arn'] ?? '', `${name}.amazonaws.com`),
    );
    expect(trusted).toEqual(['scheduler', 'lambda']);
  });

  test('throws for an unknown role, by ARN', () => {
    const nobody = 'arn:aws:iam::000000000000:role/Nobody';
    expect(() => createIam().policiesOf(nobody)).toThrow('role/Nobody');
    expect(() => createIam().trusts(nobody, 'lambda.amazonaws.com')).toThrow('role/Nobody');
  });

  test.each([
    [
      'more than 10,240 characters of inline policies',
      () => [role({}), ...[1, 2].map((n) => attached('AWS::IAM::Policy', `P${n}`, large(5200)))],
      'Role Role has',
    ],
    [
      'a managed policy that exceeds the quota',
      () => [role({}), attached('AWS::IAM::ManagedPolicy', 'P', large(6144))],
      'The managed policy P',
    ],
    [
      'a trust policy that exceeds the quota',
      () => [role({ AssumeRolePolicyDocument: trusting('s'.repeat(2048)) })],
      'The trust policy of role Role',
    ],
    [
      'eleven managed policies',
      () => [role({ ManagedPolicyArns: Array.from({ length: 11 }, () => logs) })],
      'has 11 managed policies',
    ],
  ])('refuses a role with %s', async (_what, resources, message) => {
    const iam = createIam();
    const all = resources();
    for (const resource of all.slice(0, -1)) await iam.create(resource);
    expect(() => iam.create(all.at(-1) ?? role({}))).toThrow(message);
  });

  test('ignores white space in policy sizes', async () => {
    const iam = createIam();
    await iam.create(role({}));
    await iam.create(attached('AWS::IAM::ManagedPolicy', 'P', policy('a:b', `r${' '.repeat(7000)}`)));
  });
});

const logs = 'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';
const large = (characters: number) => policy('a:b', 'r'.repeat(characters));
const trusting = (Service: string) => ({
  Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service } }],
});
