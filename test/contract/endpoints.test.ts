import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { endpointTable } from '../../contract/access';
import type { EndpointKey } from '../../contract/endpoints';

const lambdas = join(__dirname, '../../lambdas/http');
const entries = Object.entries(endpointTable) as [EndpointKey, (typeof endpointTable)[EndpointKey]][];

/** Spec section 4, and section 8 for the limit in a minute. */
const promised: Record<EndpointKey, [scope: string | null, success: number, perMinute?: number]> = {
  'POST /v3/auth/token': [null, 200],
  'POST /v3/jobs/create': ['command:create', 201, 60],
  'GET /v3/jobs': ['command:read', 200],
  'GET /v3/jobs/{jobId}': ['command:read', 200],
  'PATCH /v3/jobs/{jobId}': ['command:update', 200],
  'DELETE /v3/jobs/{jobId}': ['command:update', 200],
  'POST /v3/jobs/{jobId}/cancel': ['command:update', 200],
  'POST /v3/streams/share': ['stream:share', 201, 30],
  'GET /v3/streams/share': ['share:read', 200],
  'GET /v3/streams/share/{shareCode}': ['share:read', 200],
  'DELETE /v3/streams/share/{shareCode}': ['share:manage', 200],
  'GET /v3/shares': ['share:read', 200],
  'GET /v3/shares/{shareCode}': ['share:read', 200],
  'DELETE /v3/shares/{shareCode}': ['share:manage', 200],
  'GET /v3/shares/{shareCode}/resources': ['share:read', 200, 120],
  'GET /v3/resources': ['resources:read', 200],
};

test('The table has the endpoints of the spec and no others.', () => {
  expect(Object.keys(endpointTable).sort()).toEqual(Object.keys(promised).sort());
});

test.each(entries)('%s has the scope, status and limit of the spec.', (key, { scope, reply, perMinute }) => {
  const [expectedScope, success, limit] = promised[key];
  expect([scope, reply.status, perMinute]).toEqual([expectedScope, success, limit]);
});

test('An endpoint that counts calls or takes idempotency keys has the table for it.', () => {
  for (const [, { perMinute, idempotent, tables }] of entries) {
    const needed = [...(perMinute ? ['update'] : []), ...(idempotent ? ['get', 'put'] : [])];
    expect([...(tables.requests ?? [])].sort()).toEqual(needed.sort());
  }
});

test('Both creates take idempotency keys, and nothing else does.', () => {
  const idempotent = entries.filter(([, endpoint]) => endpoint.idempotent).map(([key]) => key);
  expect(idempotent).toEqual(['POST /v3/jobs/create', 'POST /v3/streams/share']);
});

test('Every endpoint that takes input can refuse it.', () => {
  for (const [, { request, refusals }] of entries)
    expect(refusals.includes('invalid_request')).toBe(Boolean(request.query ?? request.body));
});

test('Every endpoint has its file, and every file its endpoint.', () => {
  const files = readdirSync(lambdas, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const handlers = new Set(entries.map(([, { handler }]) => `${handler}.ts`));
  expect(files.sort()).toEqual([...handlers].sort());
});

test.each([...new Set(entries.map(([, { handler }]) => handler))])(
  '%s serves an endpoint that names it.',
  (handler) => {
    const [, key] = /serve\('([^']+)'/.exec(readFileSync(join(lambdas, `${handler}.ts`), 'utf8')) ?? [];
    expect(entries.find(([name]) => name === key)?.[1].handler).toBe(handler);
  },
);

test('Endpoints that share a file are one operation: all but their path is the same.', () => {
  for (const [, endpoint] of entries)
    for (const [, other] of entries) if (endpoint.handler === other.handler) expect(endpoint).toBe(other);
});
