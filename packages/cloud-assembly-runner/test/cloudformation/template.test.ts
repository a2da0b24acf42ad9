import * as fc from 'fast-check';
import {
  inCreationOrder,
  parseTemplate,
  scopeOf,
  checkTemplateLimits,
  type Template,
} from '../../cloudformation/template';
import { noValue, referencesIn, resolve, type Scope } from '../../cloudformation/intrinsics';
import { checkNames, nameRules } from '../../cloudformation/name-rules';

const noneExists = () => undefined;
const order = (template: Template) =>
  inCreationOrder(template, scopeOf(template, 'Stack', noneExists)).map(({ logicalId }) => logicalId);

describe('Creation order', () => {
  test('puts each resource after those it refers to, in any order of the template', () => {
    // References go only to lower numbers, so there is no cycle; then the template is shuffled.
    const graph = fc
      .array(fc.array(fc.nat(), { maxLength: 4 }), { minLength: 1, maxLength: 20 })
      .chain((edges) =>
        fc.tuple(fc.constant(edges), fc.shuffledSubarray([...edges.keys()], { minLength: edges.length })),
      );
    fc.assert(
      fc.property(graph, ([edges, shuffled]) => {
        const references = (n: number) => (n === 0 ? [] : (edges[n] ?? []).map((edge) => `R${edge % n}`));
        const resources = shuffled.map((n) => {
          const [first, ...others] = references(n);
          const Properties = { others: others.map((Ref) => ({ Ref })) };
          return [`R${n}`, { Type: 'T', Properties, ...(first && { DependsOn: first }) }] as const;
        });
        const result = order(parseTemplate({ Resources: Object.fromEntries(resources) }));
        expect([...result].sort()).toEqual(resources.map(([id]) => id).sort());
        for (const n of edges.keys()) {
          for (const reference of references(n)) {
            expect(result.indexOf(reference)).toBeLessThan(result.indexOf(`R${n}`));
          }
        }
      }),
    );
  });

  test('names the members of a cycle', () => {
    const template = parseTemplate({
      Resources: {
        Egg: { Type: 'T', Properties: { from: { 'Fn::GetAtt': ['Hen', 'Arn'] } } },
        Hen: { Type: 'T', DependsOn: ['Egg'] },
      },
    });
    expect(() => order(template)).toThrow('cycle: Egg → Hen → Egg');
  });

  test('names an unknown reference and the resource that has it', () => {
    const template = parseTemplate({ Resources: { A: { Type: 'T', Properties: { to: { Ref: 'Missing' } } } } });
    expect(() => order(template)).toThrow('A refers to Missing');
  });

  test('leaves out resources whose condition does not hold', () => {
    const template = parseTemplate({
      Conditions: {
        InEurope: { 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'eu-central-1'] },
        Not: { 'Fn::Not': [{ Condition: 'InEurope' }] },
      },
      Resources: { Here: { Type: 'T', Condition: 'InEurope' }, There: { Type: 'T', Condition: 'Not' } },
    });
    expect(order(template)).toEqual(['Here']);
  });
});

describe('Scope of a template', () => {
  const template = parseTemplate({
    Parameters: { BootstrapVersion: { Type: 'String', Default: '/version' }, Asked: { Type: 'String' } },
    Mappings: { Map: { top: { second: 'value' } } },
    Conditions: { A: { Condition: 'B' }, B: { 'Fn::Not': [{ Condition: 'A' }] } },
    Resources: {},
  });
  const scope = scopeOf(template, 'Stack', noneExists);

  test('resolves parameters by their default, pseudo parameters and mappings', () => {
    expect(scope.ref('BootstrapVersion')).toBe('/version');
    expect(scope.ref('AWS::Region')).toBe('eu-central-1');
    expect(scope.ref('AWS::StackName')).toBe('Stack');
    expect(scope.mapping('Map', 'top', 'second')).toBe('value');
  });

  test.each([
    ['a parameter without default', () => scope.ref('Asked'), 'Asked'],
    ['an unknown name', () => scope.ref('Nobody'), 'Nobody'],
    ['an unknown attribute', () => scope.attribute('Nobody', 'Arn'), 'Nobody'],
    ['an unknown mapping', () => scope.mapping('Map', 'top', 'third'), 'Map.top.third'],
    ['an unknown condition', () => scope.condition('C'), 'C'],
    ['a cycle of conditions', () => scope.condition('A'), 'A → B → A'],
  ])('fails for %s, by name', (_what, look, expected) => {
    expect(look).toThrow(expected);
  });
});

const many = <T>(count: number, value: T): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`R${n}`, value]));
const check =
  (template: object, bytes = 1000) =>
  () =>
    checkTemplateLimits(parseTemplate({ Resources: {}, ...template }), bytes);

describe("CloudFormation's template quotas", () => {
  test.each([
    ['501 resources', { Resources: many(501, { Type: 'T' }) }, '501 resources, CloudFormation allows 500'],
    ['201 outputs', { Outputs: many(201, { Value: '1' }) }, '201 outputs'],
    ['201 parameters', { Parameters: many(201, { Default: '1' }) }, '201 parameters'],
    ['201 mappings', { Mappings: many(201, {}) }, '201 mappings'],
    ['a description that is too long', { Description: 'x'.repeat(1025) }, '1025 bytes of description'],
    ['a logical id with a hyphen', { Resources: { 'a-b': { Type: 'T' } } }, 'a-b is not a valid logical id'],
  ])('refuse %s', (_what, template, message) => {
    expect(check(template)).toThrow(message);
  });

  test('refuse a template of more than 1 MB', () => {
    expect(check({}, 1024 * 1024 + 1)).toThrow('1048577 bytes, CloudFormation allows 1048576');
  });

  test('accept a template at the limits', () => {
    expect(
      check({ Resources: many(500, { Type: 'T' }), Outputs: many(200, { Value: '1' }) }, 1024 * 1024),
    ).not.toThrow();
  });
});

const scope: Scope = {
  ref: (name) => (name === 'AWS::NoValue' ? noValue : `ref-of-${name}`),
  attribute: (logicalId, attribute) => `${logicalId}-${attribute}`,
  condition: (name) => name === 'Holds',
  mapping: (map, top, second) => `${map}/${top}/${second}`,
};

/** JSON without keys of intrinsic functions. */
const plain = fc.jsonValue().filter((value) => !/"(Ref|Fn::[^"]*)":/.test(JSON.stringify(value)));
/** Text without the special characters of Fn::Sub. */
const word = fc.string().filter((text) => !/[${}]/.test(text));
const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{0,10}$/);

describe('Intrinsic functions', () => {
  test('leave other values unchanged', () => {
    fc.assert(fc.property(plain, (value) => expect(resolve(value, scope)).toEqual(value)));
  });

  test('are resolved at any depth', () => {
    fc.assert(
      fc.property(name, fc.array(fc.constantFrom('list', 'object'), { maxLength: 6 }), (id, nesting) => {
        const nest = (leaf: unknown) =>
          nesting.reduce<unknown>((inner, kind) => (kind === 'list' ? [inner] : { inner, other: 1 }), leaf);
        expect(resolve(nest({ Ref: id }), scope)).toEqual(nest(`ref-of-${id}`));
      }),
    );
  });

  test('split what they joined', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (parts) => {
        fc.pre(parts.every((part) => !part.includes('|')));
        expect(resolve({ 'Fn::Split': ['|', { 'Fn::Join': ['|', parts] }] }, scope)).toEqual(parts);
      }),
    );
  });

  test('select each element of a list by its index', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (parts) => {
        parts.forEach((part, index) => expect(resolve({ 'Fn::Select': [String(index), parts] }, scope)).toBe(part));
      }),
    );
  });

  test('substitute like a join of the same parts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(word, name)), (pieces) => {
        const template = pieces.map(([text, id]) => `${text}\${${id}}`).join('');
        const joined = pieces.flatMap(([text, id]) => [text, { Ref: id }]);
        expect(resolve({ 'Fn::Sub': template }, scope)).toBe(resolve({ 'Fn::Join': ['', joined] }, scope));
      }),
    );
  });

  test('substitute attributes and own variables, and keep literals', () => {
    const template = '${Table.Arn}/${own}/${!Literal}/${AWS::Region}';
    expect(resolve({ 'Fn::Sub': [template, { own: { Ref: 'X' } }] }, scope)).toBe(
      'Table-Arn/ref-of-X/${Literal}/ref-of-AWS::Region',
    );
  });

  test('remove properties and elements without a value', () => {
    const nothing = { Ref: 'AWS::NoValue' };
    const value = { a: nothing, b: [1, nothing, 2], c: { 'Fn::If': ['Holds', nothing, 1] } };
    expect(resolve(value, scope)).toEqual({ b: [1, 2] });
  });

  test.each([
    [{ 'Fn::If': ['Holds', 'yes', 'no'] }, 'yes'],
    [{ 'Fn::If': ['Other', 'yes', 'no'] }, 'no'],
    [{ 'Fn::Equals': [{ Ref: 'A' }, 'ref-of-A'] }, true],
    [{ 'Fn::Not': [{ Condition: 'Holds' }] }, false],
    [{ 'Fn::And': [{ Condition: 'Holds' }, { 'Fn::Equals': ['a', 'b'] }] }, false],
    [{ 'Fn::Or': [{ Condition: 'Holds' }, { 'Fn::Equals': ['a', 'b'] }] }, true],
    [{ 'Fn::FindInMap': ['Map', { Ref: 'Top' }, 'second'] }, 'Map/ref-of-Top/second'],
    [{ 'Fn::GetAtt': ['Function', 'Arn'] }, 'Function-Arn'],
    [{ 'Fn::GetAtt': 'Function.Arn' }, 'Function-Arn'],
  ])('resolve %j to %j', (value, expected) => {
    expect(resolve(value, scope)).toEqual(expected);
  });

  test.each(['Fn::ImportValue', 'Fn::Transform', 'Fn::GetAZs'])('refuse %s by name', (intrinsic) => {
    expect(() => resolve({ deep: [{ [intrinsic]: 'x' }] }, scope)).toThrow(intrinsic);
  });

  test('report all names that a value refers to', () => {
    const value = {
      a: [{ Ref: 'One' }, { 'Fn::GetAtt': ['Two', 'Arn'] }],
      b: { 'Fn::Sub': ['${Three} ${Four.Name} ${!Five} ${own} ${AWS::Region}', { own: { Ref: 'Six' } }] },
      c: { 'Fn::If': ['Condition', { Ref: 'Seven' }, 'Eight'] },
    };
    expect([...referencesIn(value)].sort()).toEqual(['Four', 'One', 'Seven', 'Six', 'Three', 'Two']);
  });
});

describe('Name rules', () => {
  /** For each rule values that the service refuses, one of each cause. */
  const refused: Readonly<Record<string, readonly unknown[]>> = {
    'AWS::ApiGateway::RestApi Name': [''],
    'AWS::ApiGateway::Stage StageName': ['live stage', 'x'.repeat(129)],
    'AWS::ApiGatewayV2::Api Name': ['', 'x'.repeat(129)],
    'AWS::ApiGatewayV2::Stage StageName': ['live.1', '$other'],
    'AWS::CloudFront::Function Name': ['a.b', 'x'.repeat(65)],
    'AWS::CloudFront::Function FunctionConfig.Comment': ['x'.repeat(129)],
    'AWS::CloudFront::OriginAccessControl OriginAccessControlConfig.Name': ['x'.repeat(65)],
    'AWS::CloudFront::ResponseHeadersPolicy ResponseHeadersPolicyConfig.Name': ['a b'],
    'AWS::CloudWatch::Alarm AlarmName': ['', 'x'.repeat(256)],
    'AWS::CloudWatch::Alarm MetricName': [''],
    'AWS::CloudWatch::Alarm Namespace': [':Stack'],
    'AWS::CloudWatch::Alarm Metrics.*.Id': ['Errors', 'm-1'],
    'AWS::CloudWatch::Dashboard DashboardName': ['my dashboard', 'x'.repeat(256)],
    'AWS::Cognito::UserPoolDomain Domain': ['Drone', '-drone', 'drone-', 'my-cognito', 'x'.repeat(64)],
    'AWS::Cognito::UserPoolResourceServer Identifier': ['https://a b', 'say"so"'],
    'AWS::Cognito::UserPoolResourceServer Name': ['a/b'],
    'AWS::Cognito::UserPoolResourceServer Scopes.*.ScopeName': ['jobs/read'],
    'AWS::DynamoDB::Table TableName': ['ab', 'a/b'],
    'AWS::DynamoDB::Table GlobalSecondaryIndexes.*.IndexName': ['by', 'by status'],
    'AWS::Events::Archive ArchiveName': ['x'.repeat(49), 'a/b'],
    'AWS::Events::Archive KmsKeyIdentifier': [''],
    'AWS::Events::EventBus Name': ['default', 'aws.partner/a', 'a b'],
    'AWS::Events::Rule Name': ['a/b', 'x'.repeat(65)],
    'AWS::Events::Rule Targets.*.Id': ['a/b'],
    'AWS::IAM::Role RoleName': ['x'.repeat(65), 'a/b'],
    'AWS::IAM::Role Policies.*.PolicyName': ['a b'],
    'AWS::IAM::Policy PolicyName': ['a b', 'x'.repeat(129)],
    'AWS::IoT::Authorizer AuthorizerName': ['a.b'],
    'AWS::IoT::DomainConfiguration DomainConfigurationName': ['a/b'],
    'AWS::IoT::TopicRule RuleName': ['on-connected', 'a.b'],
    'AWS::Lambda::Function FunctionName': ['x'.repeat(65), 'a.b'],
    'AWS::Lambda::Function Description': ['x'.repeat(257)],
    'AWS::Lambda::LayerVersion LayerName': ['a.b'],
    'AWS::Logs::LogGroup LogGroupName': ['aws/lambda/x', 'a:b'],
    'AWS::Logs::MetricFilter FilterName': ['a:b'],
    'AWS::Logs::MetricFilter MetricTransformations.*.MetricName': ['a*'],
    'AWS::Logs::MetricFilter MetricTransformations.*.MetricNamespace': ['AWS/Lambda', 'a:b'],
    'AWS::S3::Bucket BucketName': ['Upper', 'a..b', '192.168.5.4', 'xn--bucket', 'bucket-s3alias', 'ab'],
    'AWS::SQS::Queue QueueName': ['a.b', 'x'.repeat(81)],
    'AWS::Scheduler::Schedule Name': ['a b', 'x'.repeat(65)],
    'AWS::Scheduler::ScheduleGroup Name': ['default', 'x'.repeat(65)],
    'AWS::SecretsManager::Secret Name': ['origin-secret', 'a b'],
    'AWS::WAFv2::WebACL Name': ['a.b', 'x'.repeat(129)],
    'AWS::WAFv2::WebACL Description': ['at most 5%'],
    'AWS::WAFv2::WebACL Rules.*.Name': ['a b'],
    'AWS::WAFv2::WebACL VisibilityConfig.MetricName': ['All', 'Default_Action', 'a b', 'x'.repeat(129)],
    'AWS::WAFv2::WebACL Rules.*.VisibilityConfig.MetricName': ['All', 'Default_Action', 'a.b'],
  };

  /** Properties that have a value at a path. */
  const propertiesWith = (path: string, value: unknown): unknown =>
    path.split('.').reduceRight<unknown>((inner, name) => (name === '*' ? [inner] : { [name]: inner }), value);

  const rows = Object.entries(refused).flatMap(([rule, values]) => values.map((value) => [rule, value] as const));

  test('each rule has names that it refuses', () => {
    expect(Object.keys(refused)).toEqual(nameRules.map(({ type, property }) => `${type} ${property}`));
  });

  test.each(rows)('%s %j is refused', (rule, value) => {
    const [type = '', property = ''] = rule.split(' ');
    const check = (name: unknown) => () => checkNames('It', type, propertiesWith(property, name));
    expect(check(value)).toThrow(`It: ${rule} ${JSON.stringify(value)} `);
  });

  test.each([
    ['AWS::WAFv2::WebACL', { Name: 'Limit', VisibilityConfig: { MetricName: 'Limit' }, Rules: [{ Name: 'A_1' }] }],
    ['AWS::S3::Bucket', { BucketName: 'a-bucket.of-ours' }],
    ['AWS::IoT::TopicRule', { RuleName: 'On_connected' }],
    ['AWS::Cognito::UserPoolDomain', { Domain: 'drone-mission-api-123456789012' }],
    ['AWS::Unknown::Type', { Name: '' }],
  ])('%s with names in form is accepted', (type, properties) => {
    expect(() => checkNames('It', type, properties)).not.toThrow();
  });

  test.each([
    ['a list', [{ Key: 'aws:stage', Value: 'a' }], 'is reserved by AWS'],
    ['a map', { 'a#b': 'c' }, 'does not match'],
    ['a list with a long value', [{ Key: 'a', Value: 'x'.repeat(257) }], 'does not match'],
  ])('tags in %s are checked', (_form, Tags, fault) => {
    expect(() => checkNames('It', 'AWS::SQS::Queue', { Tags })).toThrow(fault);
  });
});
