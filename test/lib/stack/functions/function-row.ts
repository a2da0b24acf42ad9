import type { TableUses } from '../../../../contract/terms/endpoint';
import { metricVariables } from '../../../../contract/terms/metrics';
import { tableVariable, type TableName } from '../../../../domain/values/table-names';
import { environmentOf, ownFunctions, permissionsFor, permissionsIn } from '../../permissions';
import { smallTable, synthesise, type CfnResource } from '../../synthesised';

export const stack = synthesise({}, smallTable);
export const functions = ownFunctions(stack);
const { permissionsOf, nameOf } = permissionsIn(stack);

/** Which lines of a function are counted is in `test/lib/stack/alarms.ts`. */
const countsLines = new Set<string>(Object.values(metricVariables));

/** What a function may do and has. */
export interface FunctionRow {
  /** File below `lambdas/`, without `.lambda.ts`. */
  readonly entry: string;
  readonly tables: TableUses;
  /** Other permissions, as `action resource`. */
  readonly more?: readonly string[];
  /** Environment variables other than table names. */
  readonly settings?: readonly string[];
  /** Timeout. */
  readonly seconds: number;
}

/** The functions by their construct path. */
export type FunctionRows = Readonly<Record<string, FunctionRow>>;

/** Permission to request a snapshot; it comes with the variable `SNAPSHOT_FUNCTION`. */
export const snapshotPermissions = ['lambda:InvokeFunction Realtime/Snapshots/SendSnapshot/Function'];
/** Permission to request a count of viewers; it comes with the variable `VIEWER_COUNT_QUEUE_URL`. */
export const countPermissions = ['sqs:SendMessage Realtime/ViewerCounts/Changed'];
export const consumePermissions = (queue: string) =>
  ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'GetQueueUrl', 'ReceiveMessage'].map(
    (action) => `sqs:${action} ${queue}`,
  );
/** Permissions to read the streams of tables and to send failures to a dead-letter queue. */
export const streamPermissions = (tables: string[], queue: string) => [
  'dynamodb:ListStreams *',
  ...tables.flatMap((table) =>
    ['DescribeStream', 'GetRecords', 'GetShardIterator'].map((action) => `dynamodb:${action} ${table}/stream`),
  ),
  ...['GetQueueAttributes', 'GetQueueUrl', 'SendMessage'].map((action) => `sqs:${action} ${queue}`),
];

/**
 * Returns the file below `lambdas/`, without `.lambda.ts`, whose bundle a function has: the folder of its code says it
 * (`lib/functions/late-bundles.ts`).
 */
export const entryOf = (lambda: CfnResource): string =>
  lambda.Metadata?.['aws:asset:path']?.replace(/^functions\.[\da-f]+\//, '') ?? '';

/** Defines the tests of each function. */
export function testFunctions(rows: FunctionRows): void {
  describe.each(Object.entries(rows))('%s', (path, { entry, tables, more, settings = [], seconds }) => {
    const lambda = functions[`${path}/Function`];

    test('has exactly the permissions that its code needs', () => {
      expect(permissionsOf(path)).toEqual(permissionsFor(path, [tables], more));
    });

    test('has exactly its tables and settings in its environment', () => {
      const environment = environmentOf(lambda);
      const bound = (Object.keys(tables) as TableName[]).map(tableVariable);
      expect(
        Object.keys(environment)
          .filter((name) => !countsLines.has(name))
          .sort(),
      ).toEqual([...bound, ...settings].sort());
      for (const table of Object.keys(tables) as TableName[]) {
        expect(nameOf(environment[tableVariable(table)])).toBe(table);
      }
    });

    test(`is the code of lambdas/${entry}.lambda.ts, with a timeout of ${seconds} s`, () => {
      expect(lambda && entryOf(lambda)).toBe(entry);
      expect(lambda?.Properties['Timeout']).toBe(seconds);
    });
  });
}
