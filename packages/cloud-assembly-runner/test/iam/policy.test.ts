import * as fc from 'fast-check';
import { evaluate, matches, parsePolicy } from '../../iam/policy';

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
