import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { endpointTable } from '../../contract/access';
import type { Endpoint, TableName } from '../../contract/endpoint';
import { referred, synthesise, type CfnResource } from './synthesised';

const { byPath, codeOf, resources } = synthesise();
const functions = byPath('AWS::Lambda::Function');
const policies = byPath('AWS::IAM::Policy');
const tables = byPath('AWS::DynamoDB::Table');

const handlers = new Map<string, Endpoint[]>();
for (const endpoint of Object.values(endpointTable)) {
  handlers.set(endpoint.handler, [...(handlers.get(endpoint.handler) ?? []), endpoint]);
}
const placeOf = (handler: string) => `Endpoints/${handler.split('/').at(-1)}`;

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
}

/** What a function may do to tables, as `Action table` or `Action table/index`, sorted. */
function rightsOf(place: string): string[] {
  const document = policies[`${place}/Role/DefaultPolicy`]?.Properties['PolicyDocument'] as { Statement: Statement[] };
  const rights = document.Statement.flatMap(({ Effect, Action, Resource }) =>
    [Action].flat().flatMap((action) => [Resource].flat().map((one) => `${Effect} ${action} ${nameOf(one)}`)),
  );
  return rights.sort();
}

/** `jobs` for that table's ARN, `jobs/index/by-status` for an index's, the log's construct, or the text itself. */
function nameOf(arn: unknown): string {
  if (typeof arn === 'string') return arn;
  const { 'Fn::Join': join } = arn as { 'Fn::Join'?: [string, unknown[]] };
  if (join) return join[1].map(nameOf).join('');
  const path = resources[referred(arn)]?.Metadata?.['aws:cdk:path'] ?? '?';
  return path.includes('/Tables/')
    ? (path.split('/')[2]?.toLowerCase() ?? '?')
    : path.split('/').slice(1, -1).join('/');
}

const actions = {
  get: 'GetItem',
  batchGet: 'BatchGetItem',
  query: 'Query',
  scan: 'Scan',
  put: 'PutItem',
  update: 'UpdateItem',
  delete: 'DeleteItem',
};

/** The rights that the endpoints' rows ask for, with the log and the trace that every function has. */
function rightsFor(place: string, uses: readonly Endpoint['tables'][]): string[] {
  const rights = uses.flatMap((tables) =>
    Object.entries(tables).flatMap(([table, operations]) =>
      operations.flatMap((operation) => [
        `Allow dynamodb:${actions[operation]} ${table}`,
        ...(operation === 'query' && table === 'jobs' ? ['Allow dynamodb:Query jobs/index/by-status'] : []),
      ]),
    ),
  );
  return [
    ...new Set(rights),
    `Allow logs:CreateLogStream ${place}/Log`,
    `Allow logs:PutLogEvents ${place}/Log`,
    'Allow xray:PutTelemetryRecords *',
    'Allow xray:PutTraceSegments *',
  ].sort();
}

const environmentOf = (lambda: CfnResource | undefined) =>
  (lambda?.Properties['Environment'] as { Variables: Record<string, unknown> }).Variables;

describe.each([...handlers])('lambdas/http/%s.ts', (handler, served) => {
  const place = placeOf(handler);
  const lambda = functions[`${place}/Function`];

  test('may do what its rows of the table say, and nothing else', () => {
    expect(rightsOf(place)).toEqual(
      rightsFor(
        place,
        served.map(({ tables }) => tables),
      ),
    );
  });

  test('finds the tables and settings of its rows in its environment, and nothing else', () => {
    const names = served.flatMap((endpoint) => [
      ...Object.keys(endpoint.tables).map((table) => `${table.toUpperCase()}_TABLE`),
      ...(endpoint.settings ?? []),
    ]);
    expect(Object.keys(environmentOf(lambda)).sort()).toEqual([...new Set(names), 'POWERTOOLS_SERVICE_NAME'].sort());
    for (const [table, { Type }] of Object.entries(tables)) {
      const name = table.split('/')[1]?.toUpperCase() as Uppercase<TableName>;
      const bound = environmentOf(lambda)[`${name}_TABLE`];
      if (bound !== undefined) expect([nameOf(bound), Type]).toEqual([name.toLowerCase(), 'AWS::DynamoDB::Table']);
    }
  });
});

test('The authorizer may read partners, and knows whose tokens it takes', () => {
  const place = 'Authorizer/Authorize';
  expect(rightsOf(place)).toEqual(rightsFor(place, [{ partners: ['get'] }]));
  expect(Object.keys(environmentOf(functions[`${place}/Function`])).sort()).toEqual([
    'ISSUER',
    'PARTNERS_TABLE',
    'POWERTOOLS_SERVICE_NAME',
    'RESOURCE_SERVER',
  ]);
});

test('Endpoints that name the same handler share a function', () => {
  expect(Object.keys(functions)).toHaveLength(handlers.size + 1);
  expect(handlers.size).toBeLessThan(Object.keys(endpointTable).length);
});

describe.each(Object.entries(functions))('%s', (_place, lambda) => {
  test('runs on Node.js 24 on arm64, is traced, and keeps its log for three months', () => {
    expect(lambda.Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      TracingConfig: { Mode: 'Active' },
    });
    const { LogGroup } = lambda.Properties['LoggingConfig'] as { LogGroup: unknown };
    expect(resources[referred(LogGroup)]?.Properties['RetentionInDays']).toBe(90);
  });

  test('is deployed with its bundle alone, of at most 350 kB', () => {
    const folder = codeOf(lambda);
    expect(readdirSync(folder)).toEqual(['index.js']);
    expect(statSync(join(folder, 'index.js')).size).toBeLessThanOrEqual(350_000);
  });
});
