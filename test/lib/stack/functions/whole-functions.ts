import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpointTable } from '../../../../contract/endpoint-table';
import { neededSettings, grantedTables, type Endpoint } from '../../../../contract/terms/endpoint';
import { tableNames, tableVariable, type TableName } from '../../../../domain/values/table-names';
import { FILE_WITHIN_MS } from '../../../../data/missions/file-seats';
import { bundle, entryPoints } from '../../../../lib/functions/bundle';
import {
  environmentOf,
  ownFunctions,
  permissionsFor,
  permissionsIn,
  socketPermissions,
  socketSettings,
  videoPermissions,
} from '../../permissions';
import { referred, smallTable, synthesise } from '../../synthesised';
import { entryOf } from './function-row';

const whole = synthesise();
const { byPath, resources } = whole;
const { permissionsOf, nameOf } = permissionsIn(whole);
const functions = ownFunctions(whole);
const tables = byPath('AWS::DynamoDB::Table');

/** Folder of the bundles, which `whole` lacks. */
const bundles = mkdtempSync(join(tmpdir(), 'bundles-'));
let sources: readonly string[] = [];
beforeAll(() => {
  sources = Object.keys(bundle(entryPoints(), bundles).inputs);
});
afterAll(() => rmSync(bundles, { recursive: true }));

const handlers = new Map<string, Endpoint[]>();
for (const endpoint of Object.values(endpointTable)) {
  handlers.set(endpoint.handler, [...(handlers.get(endpoint.handler) ?? []), endpoint]);
}
/** Of a function that sets deadlines. */
const deadlinePermission = 'sqs:SendMessage PlatformIntegration/InboundEvents/Events';
/** Of a function that uses files of missions. */
const filePermissions = {
  get: 's3:GetObject MissionFiles/Bucket/*',
  put: 's3:PutObject MissionFiles/Bucket/*',
  delete: 's3:DeleteObject MissionFiles/Bucket/*',
};
/** Of a function that asks the platform. */
const askPermission = 'events:PutEvents Platform/Bus';
const pathOf = (handler: string) => `Endpoints/${handler.split('/').at(-1)}`;

describe.each([...handlers])('lambdas/%s.lambda.ts', (handler, served) => {
  const path = pathOf(handler);
  const lambda = functions[`${path}/Function`];

  test('has exactly the permissions of its endpoints', () => {
    expect(permissionsOf(path)).toEqual(
      permissionsFor(path, served.map(grantedTables), [
        ...(served.some(({ video }) => video) ? videoPermissions : []),
        ...(served.some(({ closesSockets }) => closesSockets) ? socketPermissions : []),
        ...(served.some(({ setsDeadlines }) => setsDeadlines) ? [deadlinePermission] : []),
        ...served.flatMap(({ missionFiles = [] }) => missionFiles.map((use) => filePermissions[use])),
        ...(served.some(({ asksPlatform }) => asksPlatform) ? [askPermission] : []),
      ]),
    );
  });

  test('has exactly the tables and settings of its endpoints in its environment', () => {
    const names = served.flatMap((endpoint) => [
      ...(Object.keys(grantedTables(endpoint)) as TableName[]).map(tableVariable),
      ...neededSettings(endpoint),
      ...(endpoint.closesSockets ? socketSettings : []),
      ...(endpoint.setsDeadlines ? ['RETRY_QUEUE_URL'] : []),
      ...(endpoint.missionFiles ? ['MISSION_FILES_BUCKET'] : []),
      ...(endpoint.asksPlatform ? ['PLATFORM_BUS'] : []),
    ]);
    // Which functions count refusals is in `test/lib/shares/share-guesses.test.ts`; no endpoint counts errors.
    const { METRIC_NAMESPACE: _, COUNTED_REASON: __, ...environment } = environmentOf(lambda);
    expect(Object.keys(environment).sort()).toEqual([...new Set(names)].sort());
    for (const name of tableNames) {
      const bound = environmentOf(lambda)[tableVariable(name)];
      if (bound !== undefined) expect(nameOf(bound)).toBe(name);
    }
  });
});

test('files are read no longer than their seats last', () => {
  const ofFiles = [...handlers].filter(([, served]) => served.some(({ request }) => request.file));
  const limits = ofFiles.map(([handler]) => functions[`${pathOf(handler)}/Function`]?.Properties['Timeout']);
  expect(limits.map((seconds) => Number(seconds) * 1000)).toEqual([FILE_WITHIN_MS, FILE_WITHIN_MS]);
});

test('the stack has exactly the tables of the contract', () => {
  const deployed = Object.keys(tables).map((path) => path.split('/')[1]?.toLowerCase());
  expect(deployed.sort()).toEqual([...tableNames].sort());
});

test('the authorizer may read partners, and has the issuer and resource servers in its environment', () => {
  const path = 'Authorizer/Authorize';
  expect(permissionsOf(path)).toEqual(permissionsFor(path, [{ partners: ['get'] }]));
  expect(Object.keys(environmentOf(functions[`${path}/Function`])).sort()).toEqual([
    'ISSUER',
    'PARTNERS_TABLE',
    'RESOURCE_SERVERS',
  ]);
});

test('endpoints with the same handler share a function', () => {
  const served = Object.keys(functions).filter((path) => path.startsWith('Endpoints/'));
  expect(served).toHaveLength(handlers.size);
  expect(handlers.size).toBeLessThan(Object.keys(endpointTable).length);
});

test('no function has texts or examples in its bundle, which only the documents need', () => {
  expect(sources.filter((path) => path.startsWith('contract/')).length).toBeGreaterThan(20);
  expect(sources.filter((path) => /\.(texts|examples)\.ts$/.test(path))).toEqual([]);
});

/** A text as esbuild writes it into a bundle. */
const asAscii = (text: string) =>
  text.replaceAll(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`);

test('a function contains its own endpoint and none of the others, whose schemas would be built at each start', () => {
  const summaries = new Map(Object.values(endpointTable).map(({ handler, summary }) => [handler, asAscii(summary)]));
  for (const [name, own] of summaries) {
    const text = readFileSync(join(bundles, name, 'index.js'), 'utf8');
    expect([name, [...summaries.values()].filter((summary) => text.includes(`summary:"${summary}"`))]).toEqual([
      name,
      [own],
    ]);
  }
});

/** Larger for functions that use Kinesis Video Streams, three services, or S3. */
const maxBundleBytes = (path: string) => {
  if (/(create|get|replace|delete)-mission\/Function$/.test(path)) return 520_000;
  return /(StatusFanOut|Connect|list-share-resources|Playback|Publish|ConsumePlatformEvents)\/Function$/.test(path)
    ? 400_000
    : 350_000;
};

test('with the option tracing, X-Ray records traces of the functions behind the REST API, and of no other', () => {
  const traced = synthesise({ tracing: 'true' }, smallTable);
  const paths = Object.entries(traced.byPath('AWS::Lambda::Function')).flatMap(([path, { Properties }]) =>
    JSON.stringify(Properties['TracingConfig']) === '{"Mode":"Active"}' ? [path] : [],
  );
  expect(paths.sort()).toEqual(['Authorizer/Authorize/Function', 'Endpoints/list-shares/Function']);
});

describe.each(Object.entries(functions))('%s', (path, lambda) => {
  test('runs on Node.js 24 on arm64, with a log retention of three months and no lines of Lambda about success', () => {
    expect(lambda.Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      LoggingConfig: { LogFormat: 'JSON', SystemLogLevel: 'WARN' },
    });
    const { LogGroup } = lambda.Properties['LoggingConfig'] as { LogGroup: unknown };
    expect(resources[referred(LogGroup)]?.Properties['RetentionInDays']).toBe(90);
  });

  test('is not traced', () => {
    expect(lambda.Properties['TracingConfig']).toBeUndefined();
  });

  test(`is deployed with only its bundle, of at most ${maxBundleBytes(path) / 1000} kB`, () => {
    const folder = join(bundles, entryOf(lambda));
    expect(readdirSync(folder)).toEqual(['index.js']);
    expect(statSync(join(folder, 'index.js')).size).toBeLessThanOrEqual(maxBundleBytes(path));
  });
});
