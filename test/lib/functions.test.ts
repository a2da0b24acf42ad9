import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { endpointTable } from '../../contract/access';
import type { Endpoint, TableName } from '../../contract/endpoint';
import { environmentOf, ownFunctions, rightsFor, rightsIn, socketRights, socketSettings, videoRights } from './rights';
import { referred, synthesise } from './synthesised';

const whole = synthesise();
const { byPath, codeOf, resources } = whole;
const { rightsOf, nameOf } = rightsIn(whole);
const functions = ownFunctions(whole);
const tables = byPath('AWS::DynamoDB::Table');

const handlers = new Map<string, Endpoint[]>();
for (const endpoint of Object.values(endpointTable)) {
  handlers.set(endpoint.handler, [...(handlers.get(endpoint.handler) ?? []), endpoint]);
}
const placeOf = (handler: string) => `Endpoints/${handler.split('/').at(-1)}`;

describe.each([...handlers])('lambdas/http/%s.ts', (handler, served) => {
  const place = placeOf(handler);
  const lambda = functions[`${place}/Function`];

  test('may do what its rows of the table say, and nothing else', () => {
    expect(rightsOf(place)).toEqual(
      rightsFor(
        place,
        served.map(({ tables }) => tables),
        [
          ...(served.some(({ video }) => video) ? videoRights : []),
          ...(served.some(({ closesSockets }) => closesSockets) ? socketRights : []),
        ],
      ),
    );
  });

  test('finds the tables and settings of its rows in its environment, and nothing else', () => {
    const names = served.flatMap((endpoint) => [
      ...Object.keys(endpoint.tables).map((table) => `${table.toUpperCase()}_TABLE`),
      ...(endpoint.settings ?? []),
      ...(endpoint.closesSockets ? socketSettings : []),
    ]);
    expect(Object.keys(environmentOf(lambda)).sort()).toEqual([...new Set(names)].sort());
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
    'RESOURCE_SERVERS',
  ]);
});

test('Endpoints that name the same handler share a function', () => {
  const served = Object.keys(functions).filter((place) => place.startsWith('Endpoints/'));
  expect(served).toHaveLength(handlers.size);
  expect(handlers.size).toBeLessThan(Object.keys(endpointTable).length);
});

/** Largest bundle in bytes: more for those that talk to Kinesis Video Streams, or to three services. */
const largest = (place: string) =>
  /(StatusFanOut|GreetConnection|Connect|list-share-resources|playback|publish|ConsumePlatformEvents)\/Function$/.test(
    place,
  )
    ? 400_000
    : 350_000;

describe.each(Object.entries(functions))('%s', (place, lambda) => {
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

  test(`is deployed with its bundle alone, of at most ${largest(place) / 1000} kB`, () => {
    const folder = codeOf(lambda);
    expect(readdirSync(folder)).toEqual(['index.js']);
    expect(statSync(join(folder, 'index.js')).size).toBeLessThanOrEqual(largest(place));
  });
});
