import { smallTable, synthesise, type Synthesised } from '../synthesised';

const stages = {
  staging: synthesise({ stage: 'staging' }, smallTable),
  production: synthesise({ stage: 'production' }, smallTable),
};
const regions = ['eu-central-1', 'eu-west-1'];

/** Names that are unique in an account across regions, by type and property. */
const accountWide: readonly (readonly [type: string, ...path: string[]])[] = [
  ['AWS::CloudFront::Function', 'Name'],
  ['AWS::CloudFront::OriginAccessControl', 'OriginAccessControlConfig', 'Name'],
  ['AWS::CloudFront::ResponseHeadersPolicy', 'ResponseHeadersPolicyConfig', 'Name'],
  ['AWS::CloudWatch::Dashboard', 'DashboardName'],
];

/** Names that may be the same in two stages, with the reason. */
const shared: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::Stage StageName': 'of one API',
  'AWS::ApiGatewayV2::Api Name': 'not unique',
  'AWS::ApiGatewayV2::Stage StageName': 'of one API',
  'AWS::Cognito::UserPoolResourceServer Name': 'of one user pool',
  'AWS::CloudWatch::Alarm MetricName': 'in a namespace of the stack, or of AWS with dimensions',
  'AWS::Events::Archive KmsKeyIdentifier': 'none',
  'AWS::IAM::Policy PolicyName': 'of one role',
};

/** Resolves region and account in a value; other references stay. */
function resolved(value: unknown, region: string): unknown {
  const { 'Fn::Join': join, Ref } = (value ?? {}) as { 'Fn::Join'?: [string, unknown[]]; Ref?: string };
  if (Ref === 'AWS::Region') return region;
  if (Ref === 'AWS::AccountId') return '123456789012';
  if (!join) return value;
  const parts = join[1].map((part) => resolved(part, region));
  return parts.every((part) => typeof part === 'string') ? parts.join(join[0]) : value;
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);

/** Values of a property in the resources of a type. */
const valuesIn = ({ byPath }: Synthesised, type: string, path: readonly string[], region: string) =>
  Object.values(byPath(type)).map(({ Properties }) => resolved(at(Properties, path), region));

test.each(accountWide)('%s has a different name in every stage and region of an account', (type, ...path) => {
  const names = Object.values(stages).flatMap((stage) =>
    regions.flatMap((region) => valuesIn(stage, type, path, region)),
  );
  expect(names.length).toBeGreaterThanOrEqual(4);
  for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/);
  expect(new Set(names).size).toBe(names.length);
});

test('two stages in one account and region share only names that need not be unique', () => {
  const namesOf = ({ resources }: Synthesised) =>
    Object.entries(resources).flatMap(([id, { Type, Properties }]) =>
      Object.entries(Properties)
        .filter(([property]) => /(Name|Domain|Identifier)$/.test(property))
        .map(([property, value]) => [`${Type} ${property}`, id, resolved(value, 'eu-central-1')] as const)
        .filter(([, , value]) => typeof value === 'string'),
    );
  const production = new Set(namesOf(stages.production).map(([what, , value]) => `${what}=${String(value)}`));
  const common = namesOf(stages.staging).filter(([what, , value]) => production.has(`${what}=${String(value)}`));
  expect([...new Set(common.map(([what]) => what))].filter((what) => !Object.hasOwn(shared, what))).toEqual([]);
});

test('a Cognito domain includes stage and account, since it is unique in its region across accounts', () => {
  const prefixes = Object.values(stages).flatMap((stage) =>
    valuesIn(stage, 'AWS::Cognito::UserPoolDomain', ['Domain'], 'eu-central-1'),
  );
  expect(prefixes).toEqual(['drone-mission-api-staging-123456789012', 'drone-mission-api-production-123456789012']);
});
