import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { platformEventSchemas } from '../../../contract/documents/platform-schemas';
import { withNumberFormats, type JsonSchema } from '../../../contract/documents/json-schema';
import { faultsOf, openApi } from './openapi-file';

const folder = join(__dirname, '../../../docs/api');

/** Every published document with schemas: OpenAPI, AsyncAPI and the JSON Schemas of the platform's events, by file. */
const published: readonly (readonly [file: string, document: unknown])[] = [
  ...readdirSync(folder).map(
    (name) => [name, JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown] as const,
  ),
  ...Object.entries(platformEventSchemas()).map(([type, schema]) => [`platform-events/${type}.json`, schema] as const),
];

/** Keywords whose value is data, or names of which each has a schema. */
const data: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum', 'const']);

/** Every schema of a document, also within others, with its path; and every other object, which is none. */
function schemasIn(part: unknown, path = ''): readonly (readonly [path: string, schema: JsonSchema])[] {
  if (typeof part !== 'object' || part === null) return [];
  const within = Object.entries(part).flatMap(([key, value]) =>
    data.has(key) && !path.endsWith('.properties') ? [] : schemasIn(value, `${path}.${key}`),
  );
  return [[path, part as JsonSchema], ...within];
}

describe('Constants', () => {
  describe('A boolean that the service sends', () => {
    test.each(published.filter(([file]) => /^(openapi|asyncapi)\.json$/.test(file)))(
      'has in %s no constant, of which generators make a type',
      (_file, document) => {
        const sent = schemasIn(document).filter(([path]) => !/\.(Sample|\w+Request|SubscribeMessage)\./.test(path));
        const booleans = sent.filter(([, { type }]) => type === 'boolean');
        expect(booleans.length).toBeGreaterThan(3);
        expect(booleans.filter(([, schema]) => 'const' in schema || 'enum' in schema).map(([path]) => path)).toEqual(
          [],
        );
      },
    );
  });

  test('the constant of an event’s type has a name that no type has, so that Go leaves it as it is', () => {
    const schemas = Object.keys(openApi.components.schemas);
    const types = Object.entries(openApi.components.schemas).flatMap(([name, { properties }]) => {
      const type = properties?.['type'] as { 'x-enum-varnames'?: readonly string[] } | undefined;
      return (type?.['x-enum-varnames'] ?? []).map((constant) => [constant, `${name}Type`]);
    });
    expect(types).toHaveLength(4);
    for (const [constant = '', type] of types) expect([...schemas, type]).not.toContain(constant);
  });
});

describe('Fields', () => {
  const folder = join(__dirname, '../../../contract');

  /** The later of two entries would replace the earlier one without an error. */
  test('no field has two entries', async () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.texts.ts'),
    );
    const modules = await Promise.all(files.map((file) => import(join(folder, file)) as Promise<object>));
    const entries = modules.flatMap((module) => Object.entries(module));
    const names = entries.flatMap(([name, fields]) => (name.endsWith('Fields') ? Object.keys(fields as object) : []));
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

describe('Later values', () => {
  const reply = { $ref: '#/components/schemas/ListEventsReply' };
  const common = { cursor: 'event-7k2m9qx4-00000000c5', sequence: 3, timestamp: '2026-11-27T10:30:15.123Z' };
  const device = {
    ...common,
    type: 'device.status',
    deviceId: 'device-1',
    deviceGroupId: 'group-1',
    status: 'online',
  };

  /** Faults of a page of the feed with this event. */
  const faultsOfPage = (event: object) =>
    faultsOf({ success: true, events: [event], count: 1, cursor: common.cursor }, reply);

  describe('A reader by the schemas of today accepts', () => {
    test.each([
      ['an event of a type that it does not know', { ...common, type: 'dock.status', dockId: 'dock-1' }],
      ['a value of an open list that it does not know', { ...device, droneState: 'AVOIDING' }],
      ['a field that it does not know', { ...device, mood: 'good' }],
    ])('%s', (_what, event) => {
      expect(faultsOfPage(event)).toEqual([]);
    });

    test('no event of a known type that lacks a field', () => {
      const { status: _left, ...incomplete } = device;
      expect(faultsOfPage(incomplete)).not.toEqual([]);
    });
  });

  test('the schema of unknown events names every type that has a schema', () => {
    const { Event: event, UnknownEvent: unknown } = openApi.components.schemas;
    const known = (event?.anyOf ?? [])
      .map(({ $ref = '' }) => openApi.components.schemas[$ref.replace(/^.*\//, '')]?.properties?.['type'])
      .flatMap((type) => (typeof type === 'object' && type.const !== undefined ? [type.const] : []));
    expect(known).toHaveLength(4);
    expect(unknown?.properties?.['type']).toMatchObject({ not: { enum: known } });
  });

  test('each object inside of a body has a name, so that generated clients have a type of it', () => {
    const objects = schemasIn(openApi.components.schemas).filter(([, { type }]) => type === 'object');
    const inside = objects.filter(([path, { properties }]) => properties && path.split('.').length > 2);
    expect(objects.length).toBeGreaterThan(inside.length + 50);
    expect(inside.map(([path]) => path)).toEqual([]);
  });

  test.each(published)('no list of %s has a union without a name as its elements', (_file, document) => {
    const unions = schemasIn(document).filter(([path, { oneOf, anyOf }]) => {
      const choices = (oneOf ?? anyOf ?? []).filter(({ type }) => type !== 'null');
      return path.endsWith('.items') && choices.length > 1;
    });
    expect(unions.map(([path]) => path)).toEqual([]);
  });
});

const FORMATS: Readonly<Record<string, readonly string[]>> = { number: ['double'], integer: ['int32', 'int64'] };

describe('A number', () => {
  test.each(published)('of %s has a format that generators of code make no float32 of', (_file, document) => {
    const typesOf = (type: unknown) => [type].flat().filter((one) => one !== 'null');
    const numbers = schemasIn(document).filter(([, { type }]) => typesOf(type).some((one) => String(one) in FORMATS));
    const wrong = numbers.filter(([, { type, format = '' }]) => !FORMATS[String(typesOf(type))]?.includes(format));
    expect(wrong.map(([path]) => path)).toEqual([]);
  });

  test('is documented in most of the files, so that the test above has something to judge', () => {
    const withNumbers = published.filter(([, document]) =>
      schemasIn(document).some(([, { type }]) => type === 'integer'),
    );
    expect(withNumbers.length).toBeGreaterThan(10);
  });

  test.each([
    [{ type: 'number' }, 'double'],
    [{ type: 'integer' }, 'int32'],
    [{ type: 'integer', maximum: 2 ** 31 - 1 }, 'int32'],
    [{ type: 'integer', maximum: 2 ** 31 }, 'int64'],
    [{ type: 'integer', minimum: -(2 ** 40) }, 'int64'],
    [{ type: 'integer', format: 'int64' }, 'int64'],
    [{ type: 'string' }, undefined],
  ] as const)('%j is %s', (schema, format) => {
    expect(withNumberFormats(schema)).toEqual({ ...schema, ...(format && { format }) });
  });

  test('is found in a property that has the name of a keyword, in a list and in a union', () => {
    const schema = {
      properties: { items: { type: 'array', items: { oneOf: [{ type: 'number' }, { type: 'null' }] } } },
    };
    expect(withNumberFormats(schema as never)).toEqual({
      properties: {
        items: { type: 'array', items: { oneOf: [{ type: 'number', format: 'double' }, { type: 'null' }] } },
      },
    });
  });
});

const guide = readFileSync(join(__dirname, '../../../docs/guides/versioning.md'), 'utf8');
const partners = published.filter(([file]) => /^(openapi|asyncapi)\.json$/.test(file));

/** The schemas of fields that the service sends, by the name of the field. */
const sentFields = (document: unknown) =>
  schemasIn(document)
    .filter(([path]) => path.includes('.properties.') && !/\.(Sample|\w+Request|\w+ReportedDetail)\./.test(path))
    .map(([path, schema]) => [path.replace(/^.*\./, ''), schema] as const);

describe('An open list', () => {
  const open = partners.flatMap(([, document]) => sentFields(document)).filter(([, one]) => 'x-extensible-enum' in one);
  const names = [...new Set(open.map(([name]) => name))].sort();

  test('is named by the guide if the documents have it, and the other way round', () => {
    const [, sentence = ''] = /^- new values of open lists([^;]*);/m.exec(guide) ?? [];
    const named = [...sentence.matchAll(/`([a-z]\w+)`/g)].map(([, name]) => name);
    expect(names).toEqual(named.sort());
    expect(names.length).toBeGreaterThan(2);
  });

  test('is text without a closed list, and has its known values', () => {
    for (const [, schema] of open) {
      expect(schema).toMatchObject({ type: 'string' });
      expect(schema).not.toHaveProperty('enum');
      expect((schema['x-extensible-enum'] as string[]).length).toBeGreaterThan(2);
    }
  });

  test('of an event for the platform is text too', () => {
    const [, rejected] = published.find(([file]) => file.endsWith('report.rejected.json')) ?? [];
    const reasons = sentFields(rejected).filter(([name]) => name === 'reason');
    expect(reasons).toHaveLength(1);
    for (const [, reason] of reasons) expect(reason).not.toHaveProperty('enum');
  });

  test('of what a platform reports stays closed, since the service refuses other values', () => {
    const [, reported] = published.find(([file]) => file.endsWith('control.outcome.reported.json')) ?? [];
    const reasons = schemasIn(reported).filter(([path]) => path.endsWith('.properties.reason'));
    expect(reasons.map(([, { enum: values = [] }]) => values.filter((one) => one !== null).length)).toEqual([9]);
  });
});
