import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from './fixtures/compile';

/** The source of a table of events with one more row. */
function withRow(path: string, table: string, row: string): Record<string, string> {
  const text = readFileSync(join(__dirname, '../..', path), 'utf8');
  const longer = text.replace(`export const ${table} = {\n`, (line) => `${line}${row}\n`);
  if (longer === text) throw new Error(`${path} has no table ${table}`);
  return { [path]: longer };
}

const publish = (call: string) => `
  import { publishPlatformEvent } from '../data/platform/platform-bus';
  export const published = ${call};
`;

/** Code that uses two added rows: `battery.low`, outbound, and `weather.reported`, inbound. */
const sources = {
  'lambdas/added.ts': publish("publishPlatformEvent('battery.low', { percent: 9 })"),
  'lambdas/wrong-type.ts': publish("publishPlatformEvent('battery.low', { percent: '9 %' })"),
  'lambdas/unknown-field.ts': publish("publishPlatformEvent('battery.low', { percent: 9, shareCode: 'share-1' })"),
  'lambdas/unknown-event.ts': publish("publishPlatformEvent('battery.lost', { percent: 9 })"),
  'lib/added.ts': `
    import { outboundEvents, type OutboundEventType } from '../contract/platform';
    export const type: OutboundEventType = 'battery.low';
    export const percent: number = outboundEvents['battery.low'].parse({}).percent;
  `,
  'simulator/added.ts': `
    import { publishReports } from './publish-reports';
    export const published = publishReports([{ type: 'weather.reported', detail: { windSpeed: 4 } }]);
  `,
};

let errors: string[];
const errorsOf = (path: string) => errors.filter((error) => error.startsWith(`${path}: `));

beforeAll(() => {
  const tables = {
    ...withRow('domain/outbound-events.ts', 'outboundEvents', "'battery.low': z.object({ percent: z.number() }),"),
    ...withRow('domain/inbound-events.ts', 'inboundEvents', "'weather.reported': z.object({ windSpeed: z.number() }),"),
  };
  const using = ['lambdas/bus/consume-platform-events.ts', 'lambdas/socket/control.ts', 'simulator/tick.ts'];
  errors = compile({ ...tables, ...sources }, [...Object.keys(sources), ...using]);
});

test('one row is enough to publish and consume a new outbound event', () => {
  expect([...errorsOf('lambdas/added.ts'), ...errorsOf('lib/added.ts')]).toEqual([]);
});

test.each([
  ['lambdas/wrong-type.ts', "Type 'string' is not assignable to type 'number'"],
  ['lambdas/unknown-field.ts', "'shareCode' does not exist"],
  ['lambdas/unknown-event.ts', '"battery.lost"'],
])('an outbound event that does not match its schema fails to compile: %s', (path, message) => {
  expect(errorsOf(path)).toEqual([expect.stringContaining(message)]);
});

test('one row is enough for the simulated platform to publish a new inbound event', () => {
  expect(errorsOf('simulator/added.ts')).toEqual([]);
});

test('a new inbound event needs a handler to compile, and nothing else', () => {
  const rest = errors.filter((error) => !Object.keys(sources).some((path) => error.startsWith(`${path}: `)));
  expect(rest).toEqual([
    expect.stringMatching(/^lambdas\/platform\/platform-event-handlers\.ts: Property '"weather.reported"' is missing/),
  ]);
});
