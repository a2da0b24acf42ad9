import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { contract, type Contract } from '../../../contract/contract';
import { asyncApiDocument } from '../../../contract/documents/asyncapi/asyncapi-document';
import { platformDocument } from '../../../contract/documents/asyncapi/platform-document';
import { channelMessages, messagesOf, messageValidators, type Documented } from './message-validators';

const documents: readonly (readonly [string, Documented])[] = [
  ['asyncapi.json', asyncApiDocument()],
  ['platform-asyncapi.json', platformDocument()],
];

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly [keyword: string]: unknown;
}

/** Paths of all properties without a description, below a schema. */
function undescribed(schema: Schema, schemas: Readonly<Record<string, Schema>>, path: string): string[] {
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const described = property.$ref ? schemas[property.$ref.replace('#/components/schemas/', '')] : property;
    const below = undescribed(property, schemas, `${path}.${name}`);
    return described?.description ? below : [`${path}.${name}`, ...below];
  });
  const others = [schema.items, ...['anyOf', 'oneOf', 'allOf'].flatMap((word) => (schema[word] ?? []) as Schema[])];
  return [...properties, ...others.flatMap((other) => (other ? undescribed(other, schemas, path) : []))];
}

describe.each(documents)('docs/api/%s', (file, document) => {
  test('is up to date: if it is not, run npm run documents', () => {
    const text = readFileSync(join(__dirname, '../../../docs/api', file), 'utf8');
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)));
  });

  test('describes every property of each payload', () => {
    const schemas = document.components.schemas as Record<string, Schema>;
    const payloads = Object.entries(messagesOf(document)).map(([name, { payload }]) => [name, payload] as const);
    const all = [...Object.entries(schemas), ...payloads];
    expect(all.flatMap(([name, schema]) => undescribed(schema as Schema, schemas, name))).toEqual([]);
  });

  test('has examples of every message, which are valid by its schema', () => {
    const validators = messageValidators(document);
    for (const [name, { examples = [] }] of Object.entries(messagesOf(document))) {
      expect([name, examples.length]).not.toEqual([name, 0]);
      for (const { payload } of examples) expect([name, validators[name]?.(payload)]).toEqual([name, []]);
    }
  });

  test('has no message that no channel has', () => {
    const used = new Set(Object.values(channelMessages(document)).flat());
    expect([...used].toSorted()).toEqual(Object.keys(messagesOf(document)).toSorted());
  });
});

describe('A payload', () => {
  const validators = messageValidators(asyncApiDocument());
  const errors = (message: string, payload: object) => validators[message]?.(payload).length;
  const device = { deviceId: 'device-x' };
  const sample = { ...device, timestamp: '2026-11-27T10:30:15Z' };

  test.each<[string, object]>([
    ['subscribe', { action: 'subscribe' }],
    ['subscribe', { action: 'subscribe', ...device, deviceGroupId: 'group-x' }],
    ['subscribe', { action: 'unsubscribe', ...device }],
    ['subscribe', { action: 'subscribe', ...device, id: 'x'.repeat(129) }],
    ['publish', { action: 'publish', telemetry: [] }],
    ['publish', { action: 'publish', telemetry: Array(41).fill(sample) }],
    ['publish', { action: 'publish', telemetry: { ...sample, speed: 1 } }],
    ['publish', { action: 'publish', telemetry: { ...sample, battery: { percent: 101 } } }],
    ['control', { action: 'control', command: {} }],
    ['playback', { action: 'playback', url: 'x' }],
    ['error', { type: 'error', code: 'job_not_found', error: 'Job not found' }],
    ['cleared', { type: 'job.status' }],
  ])('of %s that the service refuses or never sends is invalid: %j', (message, payload) => {
    expect(errors(message, payload)).toBeGreaterThan(0);
  });

  test('with a field that is added later is valid', () => {
    expect(errors('pong', { type: 'pong', timestamp: '2026-11-20T10:30:15.000Z', later: 1 })).toBe(0);
  });
});

describe('A new row', () => {
  const land: Contract['actions'][string] = {
    ...contract.actions.control,
    summary: 'Land the drone',
    message: z.strictObject({ action: z.string() }),
    reply: z.object({ type: z.literal('drone.landed') }),
    refusals: ['resource_not_found'],
  };
  const dock = { ...contract.channels.group, topicSuffix: 'DOCK/STATUS', path: '/v3/docks/{id}/status/ws' };
  const document = asyncApiDocument({
    channels: { ...contract.channels, dock },
    actions: { ...contract.actions, land },
  });

  test('in the table of channels adds a topic and a path with all messages', () => {
    expect(document.channels).toMatchObject({
      dockTopic: { address: '{deviceGroupId}/DOCK/STATUS' },
      dockSocket: { address: '/v3/docks/{deviceGroupId}/status/ws' },
    });
    const { dockTopic, dockSocket, groupTopic, groupSocket } = channelMessages(document);
    expect([dockTopic, dockSocket]).toEqual([groupTopic, groupSocket]);
  });

  test('in the table of WebSocket actions adds the message, its answer and an operation', () => {
    expect(channelMessages(document)['viewer']).toEqual(expect.arrayContaining(['land', 'droneLanded']));
    expect(channelMessages(document)['telemetry']).not.toContain('land');
    expect(document.operations).toHaveProperty('land');
    expect(messageValidators(document)['land']?.({ action: 'land' })).toEqual([]);
  });
});

test('two messages of one name fail the build of the document', () => {
  const build = () => asyncApiDocument({ ...contract, actions: { ...contract.actions, pong: contract.actions.ping } });
  expect(build).toThrow('two messages of the document have the name pong');
});
