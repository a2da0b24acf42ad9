import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpointTable } from '../../../contract/endpoint-table';
import type { Endpoint } from '../../../contract/terms/endpoint';
import type { EndpointKey } from '../../../contract/endpoints';
import { operationOf } from '../../../contract/documents/openapi/operations';
import type { Response } from '../../../contract/documents/openapi/openapi-types';

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
  operationOf(key, endpoint).responses as Record<string, Response>;
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
