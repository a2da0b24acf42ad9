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

  it('names a role that does not exist', () => {
    expect(() => createIam().policiesOf('arn:aws:iam::000000000000:role/Nobody')).toThrow('role/Nobody');
  });
});
