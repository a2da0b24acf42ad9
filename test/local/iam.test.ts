import { createIam } from '../../local/iam';
import { evaluate } from '../../local/policy';

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

describe('IAM on this machine', () => {
  it('gathers the policies of a role wherever the template has them', async () => {
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

  it('follows a managed policy that the role names', async () => {
    const iam = createIam();
    const unattached = attached('AWS::IAM::ManagedPolicy', 'Managed', policy('a:Managed'));
    const { ref } = await iam.create({ ...unattached, properties: { PolicyDocument: policy('a:Managed') } });
    const { attributes } = await iam.create(role({ ManagedPolicyArns: [ref] }));
    const documents = iam.policiesOf(attributes?.['Arn'] ?? '');
    expect(evaluate(documents, { action: 'a:Managed', resource: 'r' })).toBe('allow');
  });

  it('names a managed policy of AWS that it does not know', async () => {
    const iam = createIam();
    const create = async () => iam.create(role({ ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'] }));
    await expect(create()).rejects.toThrow('AdministratorAccess');
  });

  it('knows which services a role trusts, those only that may take it on', async () => {
    const iam = createIam();
    const statement = (Effect: string, Action: string, Service: string | string[]) => ({
      ...{ Effect, Action },
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

  it('names a role that does not exist', () => {
    const nobody = 'arn:aws:iam::000000000000:role/Nobody';
    expect(() => createIam().policiesOf(nobody)).toThrow('role/Nobody');
    expect(() => createIam().trusts(nobody, 'lambda.amazonaws.com')).toThrow('role/Nobody');
  });

  it.each([
    [
      'more inline than it may',
      () => [role({}), ...[1, 2].map((n) => attached('AWS::IAM::Policy', `P${n}`, large(5200)))],
      'written into role Role',
    ],
    [
      'a managed policy that is too large',
      () => [role({}), attached('AWS::IAM::ManagedPolicy', 'P', large(6144))],
      'The managed policy P',
    ],
    [
      'a trust policy that is too large',
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

  it('does not count white space', async () => {
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
