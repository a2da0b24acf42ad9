import * as fc from 'fast-check';
import { createIam } from '../../iam';
import { evaluate, matches, parsePolicy } from '../../iam/policy';

describe('IAM', () => {
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

  const logs = 'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';
  const large = (characters: number) => policy('a:b', 'r'.repeat(characters));
  const trusting = (Service: string) => ({
    Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service } }],
  });

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

describe('Policy', () => {
  const action = fc.stringMatching(/^[a-z]{1,8}:[A-Z][A-Za-z]{1,10}$/);
  const resource = fc.stringMatching(/^arn:aws:[a-z]{1,6}:[a-z0-9/:-]{1,30}$/);
  const request = fc.record({ action, resource });
  const policy = (...Statement: unknown[]) => parsePolicy({ Version: '2012-10-17', Statement });
  const allow = (Action: unknown, Resource: unknown, more: object = {}) => ({
    Effect: 'Allow',
    Action,
    Resource,
    ...more,
  });
  const deny = (Action: unknown, Resource: unknown) => ({ Effect: 'Deny', Action, Resource });

  describe('Policy evaluation', () => {
    test('denies implicitly without a matching statement', () => {
      fc.assert(fc.property(request, (wanted) => expect(evaluate([], wanted)).toBe('implicitDeny')));
      expect(evaluate([policy(allow('s3:GetObject', '*'))], { action: 's3:PutObject', resource: 'x' })).toBe(
        'implicitDeny',
      );
    });

    test('allows exactly what is named', () => {
      fc.assert(
        fc.property(request, request, (granted, wanted) => {
          const same =
            granted.action.toLowerCase() === wanted.action.toLowerCase() && granted.resource === wanted.resource;
          const documents = [policy(allow(granted.action, [granted.resource]))];
          expect(evaluate(documents, granted)).toBe('allow');
          expect(evaluate(documents, wanted)).toBe(same ? 'allow' : 'implicitDeny');
        }),
      );
    });

    test('lets an explicit deny win in any position', () => {
      fc.assert(
        fc.property(request, fc.array(fc.boolean(), { maxLength: 5 }), fc.nat(5), (wanted, others, position) => {
          const statements: object[] = others.map((all) => allow(all ? '*' : wanted.action, '*'));
          statements.splice(position, 0, deny('*', wanted.resource));
          expect(evaluate([policy(...statements)], wanted)).toBe('deny');
          expect(
            evaluate(
              statements.map((one) => policy(one)),
              wanted,
            ),
          ).toBe('deny');
        }),
      );
    });

    test('applies NotAction and NotResource to everything else', () => {
      const documents = [policy({ Effect: 'Allow', NotAction: 'iam:*', NotResource: ['arn:secret*'] })];
      expect(evaluate(documents, { action: 's3:GetObject', resource: 'arn:open' })).toBe('allow');
      expect(evaluate(documents, { action: 'iam:PassRole', resource: 'arn:open' })).toBe('implicitDeny');
      expect(evaluate(documents, { action: 's3:GetObject', resource: 'arn:secret/1' })).toBe('implicitDeny');
    });

    test('compares actions case-insensitively and resources case-sensitively', () => {
      const documents = [policy(allow('DynamoDB:getitem', 'arn:Table'))];
      expect(evaluate(documents, { action: 'dynamodb:GetItem', resource: 'arn:Table' })).toBe('allow');
      expect(evaluate(documents, { action: 'dynamodb:GetItem', resource: 'arn:table' })).toBe('implicitDeny');
    });

    test.each([
      ['StringEquals', ['a', 'b'], ['b'], 'allow'],
      ['StringEquals', ['a'], ['b'], 'implicitDeny'],
      ['StringEquals', ['a'], [], 'implicitDeny'],
      ['StringLike', ['job-*'], ['job-7'], 'allow'],
      ['StringLike', ['job-*'], ['share-7'], 'implicitDeny'],
      ['ForAllValues:StringEquals', ['a', 'b'], ['b', 'a'], 'allow'],
      ['ForAllValues:StringEquals', ['a'], ['a', 'b'], 'implicitDeny'],
      ['ForAllValues:StringEquals', ['a'], [], 'allow'],
      ['ForAllValues:StringEquals', [], [], 'allow'],
      ['ForAllValues:StringEquals', [], ['a'], 'implicitDeny'],
    ])('evaluates %s of %j for %j: %s', (operator, wanted, values, decision) => {
      const documents = [policy(allow('*', '*', { Condition: { [operator]: { 'aws:Key': wanted } } }))];
      expect(evaluate(documents, { action: 'a:B', resource: 'r', context: { 'AWS:key': values } })).toBe(decision);
    });

    test('refuses an unknown condition operator by name', () => {
      const documents = [policy(allow('*', '*', { Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } }))];
      expect(() => evaluate(documents, { action: 'a:B', resource: 'r' })).toThrow('IpAddress');
    });

    test('refuses a document without Effect', () => {
      expect(() => parsePolicy({ Statement: [{ Action: '*', Resource: '*' }] })).toThrow('Effect');
    });
  });

  describe('Wildcards', () => {
    test('match like the equivalent regular expression', () => {
      const letters = fc.string({ unit: fc.constantFrom('a', 'b', ':', '/'), maxLength: 12 });
      const pattern = fc.string({ unit: fc.constantFrom('a', 'b', ':', '/', '*', '?'), maxLength: 8 });
      fc.assert(
        fc.property(pattern, letters, (wildcard, text) => {
          const expression = new RegExp(`^${wildcard.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');
          expect(matches(wildcard, text)).toBe(expression.test(text));
        }),
        { numRuns: 2000 },
      );
    });

    test('are * and ? only', () => {
      fc.assert(
        fc.property(fc.string(), fc.string(), (pattern, text) => {
          fc.pre(!/[*?]/.test(pattern));
          expect(matches(pattern, text)).toBe(pattern === text);
        }),
      );
    });

    test('match a pathological pattern quickly', () => {
      expect(matches('*a'.repeat(50) + '!', 'a'.repeat(20_000))).toBe(false);
    });
  });
});
