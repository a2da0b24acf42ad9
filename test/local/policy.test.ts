import * as fc from 'fast-check';
import { evaluate, matches, parsePolicy } from '../../local/policy';

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

describe('Evaluating policies', () => {
  it('denies implicitly what no statement speaks of', () => {
    fc.assert(fc.property(request, (wanted) => expect(evaluate([], wanted)).toBe('implicitDeny')));
    expect(evaluate([policy(allow('s3:GetObject', '*'))], { action: 's3:PutObject', resource: 'x' })).toBe(
      'implicitDeny',
    );
  });

  it('allows exactly what is named', () => {
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

  it('lets an explicit deny win wherever it stands', () => {
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

  it('covers with NotAction and NotResource all but what they name', () => {
    const documents = [policy({ Effect: 'Allow', NotAction: 'iam:*', NotResource: ['arn:secret*'] })];
    expect(evaluate(documents, { action: 's3:GetObject', resource: 'arn:open' })).toBe('allow');
    expect(evaluate(documents, { action: 'iam:PassRole', resource: 'arn:open' })).toBe('implicitDeny');
    expect(evaluate(documents, { action: 's3:GetObject', resource: 'arn:secret/1' })).toBe('implicitDeny');
  });

  it('compares actions without regard to case, resources with it', () => {
    const documents = [policy(allow('DynamoDB:getitem', 'arn:Table'))];
    expect(evaluate(documents, { action: 'dynamodb:GetItem', resource: 'arn:Table' })).toBe('allow');
    expect(evaluate(documents, { action: 'dynamodb:GetItem', resource: 'arn:table' })).toBe('implicitDeny');
  });

  it.each([
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
  ])('holds %s of %j for %j: %s', (operator, wanted, values, decision) => {
    const documents = [policy(allow('*', '*', { Condition: { [operator]: { 'aws:Key': wanted } } }))];
    expect(evaluate(documents, { action: 'a:B', resource: 'r', context: { 'AWS:key': values } })).toBe(decision);
  });

  it('refuses an unknown condition operator by name', () => {
    const documents = [policy(allow('*', '*', { Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } }))];
    expect(() => evaluate(documents, { action: 'a:B', resource: 'r' })).toThrow('IpAddress');
  });

  it('refuses a document without effect', () => {
    expect(() => parsePolicy({ Statement: [{ Action: '*', Resource: '*' }] })).toThrow('Effect');
  });
});

describe('Wildcards', () => {
  it('match as the same regular expression would', () => {
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

  it('give no other character a meaning', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (pattern, text) => {
        fc.pre(!/[*?]/.test(pattern));
        expect(matches(pattern, text)).toBe(pattern === text);
      }),
    );
  });

  it('are answered at once for a pattern made to be slow', () => {
    expect(matches('*a'.repeat(50) + '!', 'a'.repeat(20_000))).toBe(false);
  });
});
