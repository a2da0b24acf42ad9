import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonSchema } from '../../../contract/documents/json-schema';
import { openApiDocument } from '../../../contract/documents/openapi/openapi-document';
import type { ErrorResponse, Header, Response } from '../../../contract/documents/openapi/openapi-types';
import { describeOperation } from '../../../contract/documents/openapi/operations';
import { endpointTable } from '../../../contract/endpoint-table';
import type { EndpointKey } from '../../../contract/endpoints';
import { refusals } from '../../../contract/refusals';
import { deprecationHeaders } from '../../../contract/terms/deprecation';
import { type Endpoint } from '../../../contract/terms/endpoint';
import { namedScopes } from '../../../contract/terms/scopes';
import { faultsOf, openApi, operations, requestExamples, resolve, responseExamples, responseOf } from './openapi-file';

const keyOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}` as EndpointKey;
const schemas = Object.entries(openApi.components.schemas);

/** Every property of a schema and of the schemas in it, with its path. */
function propertiesOf(schema: JsonSchema, path: string): [string, JsonSchema][] {
  const own = Object.entries(schema.properties ?? {}) as [string, JsonSchema][];
  const { items } = schema;
  return [
    ...own.flatMap(([name, property]): [string, JsonSchema][] => [
      [`${path}.${name}`, property],
      ...propertiesOf(property, `${path}.${name}`),
    ]),
    ...(typeof items === 'object' && !Array.isArray(items) ? propertiesOf(items, `${path}[]`) : []),
  ];
}

/** The objects among the schemas that are reached from here without a reference. */
const objectsIn = (schema: JsonSchema) =>
  [schema, ...propertiesOf(schema, '').map(([, property]) => property)].filter(({ type }) => type === 'object');

describe('The OpenAPI document', () => {
  test('has each endpoint of the table with its scope and its success', () => {
    expect(operations.map(keyOf).sort()).toEqual(Object.keys(endpointTable).sort());
    for (const placed of operations) {
      const endpoint = endpointTable[keyOf(placed)];
      const { security } = placed.operation;
      const scopes = security.flatMap(({ clientCredentials = [] }) => clientCredentials);
      expect(scopes).toEqual(namedScopes(endpoint));
      expect(security.some((alternative) => 'apiKey' in alternative)).toBe(endpoint.scope === null);
      expect(responseOf(placed, endpoint.reply.status)).toBeDefined();
    }
  });

  test('has an example of each refusal of each endpoint', () => {
    for (const placed of operations)
      for (const code of endpointTable[keyOf(placed)].refusals) {
        const { status, text } = refusals[code];
        const shown = responseExamples.filter((one) => one.operation === placed.operation && one.status === status);
        expect(shown.map(({ example }) => example.value)).toContainEqual(expect.objectContaining({ error: text }));
      }
  });

  test('has one schema for every error of every operation, and says which statuses it may have', () => {
    const failures = operations.map(({ operation }) => operation.responses['default'] as ErrorResponse);
    const schemaOf = ({ content }: ErrorResponse) => content['application/json']?.schema;
    expect(new Set(failures.map((one) => JSON.stringify(schemaOf(one))))).toEqual(
      new Set(['{"$ref":"#/components/schemas/Error"}']),
    );
    for (const { 'x-statuses': statuses, description, headers, content } of failures) {
      expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['400', '403', '405', '429', '500']));
      for (const [status, text] of Object.entries(statuses)) expect(description).toContain(`- \`${status}\`: ${text}`);
      expect(Object.values(headers).every((header) => '$ref' in header)).toBe(true);
      const shown = Object.values(content['application/json']?.examples ?? {}).map((one) => String(one['x-status']));
      expect([...new Set(shown), '413'].sort()).toEqual([...new Set([...Object.keys(statuses), '413'])].sort());
    }
  });

  test('has a unique id for each operation', () => {
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
  });

  test('describes every property, parameter, header, response, schema and tag', () => {
    const properties = schemas.flatMap(([name, schema]) => propertiesOf(schema, name));
    const parts: [string, { readonly description?: string }][] = [
      ...schemas,
      ...properties.filter(([, { $ref }]) => $ref === undefined),
      ...operations.flatMap(({ operation }) =>
        (operation.parameters ?? []).map((one): [string, { description: string }] => [
          operation.operationId,
          resolve(one),
        ]),
      ),
      ...Object.entries(openApi.components.headers),
      ...operations.flatMap(({ operation }) =>
        Object.entries(operation.responses).map(([status, one]): [string, { description: string }] => [
          `${operation.operationId} ${status}`,
          one,
        ]),
      ),
      ...openApi.tags.map((tag): [string, { description: string }] => [tag.name, tag]),
    ];
    expect(parts.length).toBeGreaterThan(300);
    expect(parts.filter(([, { description }]) => !description).map(([path]) => path)).toEqual([]);
  });

  test('has each grant type that a token request may have', () => {
    expect(openApi.components.schemas['TokenRequest']?.properties?.['grant_type']).toMatchObject({
      type: 'string',
      enum: ['client_credentials'],
    });
  });

  test('has the defaults of the specification', () => {
    const { CreateJobRequest, CreateShareRequest } = openApi.components.schemas;
    const all = [CreateJobRequest, CreateShareRequest].flatMap((schema) => Object.entries(schema?.properties ?? {}));
    const defaults = all.flatMap(([name, property]) =>
      typeof property === 'object' && property.default !== undefined ? [[name, property.default]] : [],
    );
    expect(Object.fromEntries(defaults)).toEqual({
      priority: 5,
      permissions: ['view'],
      expiresIn: 3600,
      maxViewers: 10,
    });
  });

  test('allows unknown fields in every reply and refuses them in every request but that for a token', () => {
    const isRequest = (name: string) =>
      /Request$|^Desired|^CommandPosition$|.Command$/.test(name) && name !== 'TokenRequest';
    // Only the platform knows the parameters of its own commands.
    for (const [name, schema] of schemas.filter(([each]) => each !== 'OwnCommand'))
      for (const part of objectsIn(schema)) {
        const isFree = Object.keys(part.properties ?? {}).length === 0;
        // What is told of fields by their names has any, of one type.
        const isOpen = typeof part.additionalProperties === 'object' || part.additionalProperties;
        expect([name, isOpen]).toEqual([name, isRequest(name) ? isFree : isFree || undefined]);
      }
  });

  test.each(requestExamples.map((one) => [one.operation.operationId, one.mediaType, one.name, one] as const))(
    'has for %s in %s a valid request, %s',
    (_operation, _mediaType, _name, { example, schema }) => {
      expect(faultsOf(example.value, schema)).toEqual([]);
    },
  );

  test.each(responseExamples.map((one) => [one.operation.operationId, one.status, one.name, one] as const))(
    'has for %s a valid response with %d, %s',
    (_operation, _status, _name, { example, schema }) => {
      expect(faultsOf(example.value, schema)).toEqual([]);
    },
  );
});

describe('OpenAPI file', () => {
  test('docs/api/openapi.json is up to date: if it is not, run npm run documents', () => {
    const file = readFileSync(join(__dirname, '../../../docs/api/openapi.json'), 'utf8');
    expect(JSON.parse(file)).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  });
});

const key = 'POST /v3/jobs/create';
const deprecation = {
  since: '2027-01-01T00:00:00Z',
  sunset: '2027-07-01T00:00:00Z',
  instead: 'https://api.example.com/docs/guides/versioning',
};

describe('The operation of a deprecated endpoint', () => {
  const operation = describeOperation(key, { ...endpointTable[key], deprecation });
  const responses = Object.entries(operation.responses) as [string, Response][];

  test('is marked, and says until when it works and what to use instead', () => {
    expect(operation.deprecated).toBe(true);
    expect(operation.description).toMatch(
      /^Deprecated since 2027-01-01, ends on 2027-07-01: \[.*\]\(https:\/\/api\.example\.com\//,
    );
  });

  test('has the headers that the service sends, in each response', () => {
    const sent = Object.entries(deprecationHeaders(deprecation));
    expect(sent.map(([name]) => name)).toEqual(['Deprecation', 'Sunset', 'Link']);
    expect(responses.map(([status]) => status)).toEqual(['201', 'default']);
    for (const [status, { headers }] of responses)
      for (const [name, value] of sent) {
        const header = headers[name] as Header;
        expect(header).toMatchObject({ required: status === '201', schema: { type: 'string', examples: [value] } });
        expect(header.description).not.toBe('');
      }
  });

  test('keeps its other headers', () => {
    for (const [, { headers }] of responses) expect(Object.keys(headers).length).toBeGreaterThan(3);
  });
});

describe('An operation that is not deprecated', () => {
  test('has no header that announces an end', () => {
    expect(describeOperation(key, endpointTable[key]).deprecated).toBeUndefined();
    expect(JSON.stringify(openApiDocument())).not.toContain('"Sunset"');
  });
});

describe('Headers', () => {
  const folder = join(__dirname, '../../../lambdas/serve');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  /** Each header that a function sets on its answer. */
  const names = new Set(
    sources.flatMap((text) => [...text.matchAll(/headers\['([\w-]+)'\] = /g)].map(([, name = '']) => name)),
  );

  const endpoints = Object.entries(endpointTable) as [EndpointKey, Endpoint][];
  const responsesOf = (key: EndpointKey, endpoint: Endpoint) =>
    describeOperation(key, endpoint).responses as Record<string, Response>;
  const declared = new Set(
    endpoints.flatMap((row) => Object.values(responsesOf(...row)).flatMap(({ headers }) => Object.keys(headers))),
  );

  test('the headers that functions set are found', () => {
    expect(names.size).toBeGreaterThan(6);
  });

  test.each([...names])('%s is declared', (name) => {
    expect([...declared]).toContain(name);
  });

  test.each(endpoints)('%s has the headers of a file exactly if it sends one', (key, endpoint) => {
    const { headers } = responsesOf(key, endpoint)[endpoint.reply.status] as Response;
    const sendsFile = endpoint.missionFiles?.includes('get') ?? false;
    for (const name of ['Content-Disposition', 'X-Content-Type-Options'])
      expect([name, Object.hasOwn(headers, name)]).toEqual([name, sendsFile]);
  });
});
