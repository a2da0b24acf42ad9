import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod/mini';
import { endpointTable, splitEndpointKey } from '../../contract/endpoint-table';
import type { EndpointKey } from '../../contract/endpoints';
import { MAX_WAIT_S } from '../../contract/events/events.schemas';
import { countedEndpoints } from '../../contract/limits';
import { type StopLimit, stopLimits } from '../../contract/stop-limits';
import {
  describeEndpoint,
  type Endpoint,
  neededSettings,
  grantedTables,
  type TableUse,
} from '../../contract/terms/endpoint';
import { type Scope, scopes, namedScopes } from '../../contract/terms/scopes';
import { readCursor } from '../../domain/events/cursor';
import { MAX_WAITING_OF_CLIENT } from '../../domain/events/waiting-seats';
import { MAX_TRACK_POSITIONS } from '../../domain/telemetry/flight-record';
import { readPageToken } from '../../domain/values/page-token';
import { ENDING, entryPoints } from '../../lib/functions/bundle';
import { acme, refusalOf } from '../domain/fixtures/samples';
import { readGuide, rowsBelow } from '../guides/read/guide';

/** The endpoints of the specification: scope by section 5, status by section 4, calls a minute by section 8. */
const promised = {
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
} as const satisfies Readonly<Record<string, readonly [scope: Scope | null, success: number, perMinute?: number]>>;

describe('Endpoints', () => {
  const entries = Object.entries(endpointTable) as [EndpointKey, (typeof endpointTable)[EndpointKey]][];

  test.each(Object.entries(promised))(
    '%s has the scope, status and limit of the spec',
    (key, [scope, status, limit]) => {
      expect(endpointTable[key as EndpointKey]).toMatchObject({ scope, reply: { status } });
      expect(endpointTable[key as EndpointKey].perMinute).toBe(limit);
    },
  );

  test('the limits that GET /v3/limits answers with are those of the rows', () => {
    const limited = entries.flatMap(([operation, { perMinute: limit }]) =>
      limit === undefined ? [] : [{ operation, limit }],
    );
    expect(countedEndpoints).toEqual(limited);
  });

  test.each<
    [title: string, row: Pick<Endpoint, 'perMinute' | 'idempotent' | 'waits'>, requests: TableUse[] | undefined]
  >([
    ['a rate limit', { perMinute: 5 }, ['update']],
    ['idempotency keys', { idempotent: true }, ['get', 'put']],
    ['calls that wait', { waits: true }, ['update']],
    ['a rate limit and calls that wait', { perMinute: 5, waits: true }, ['update']],
    ['both', { perMinute: 5, idempotent: true }, ['update', 'get', 'put']],
    ['neither', {}, undefined],
  ])('an endpoint with %s uses the requests table only for that', (_title, row, requests) => {
    const { perMinute: _perMinute, idempotent: _idempotent, ...plain } = endpointTable['POST /v3/jobs/create'];
    expect(grantedTables({ ...plain, ...row })).toEqual({ ...plain.tables, ...(requests && { requests }) });
  });

  test('an endpoint whose calls wait or read a file gets how many may at the same time, and no other', () => {
    const withLimit = entries.flatMap(([operation, endpoint]) => {
      const added = neededSettings(endpoint).filter((name) => !endpoint.settings?.includes(name));
      return added.length > 0 ? [[operation, added]] : [];
    });
    expect(Object.fromEntries(withLimit)).toEqual({
      'GET /v3/events': ['MAX_WAITING_CALLS'],
      'POST /v3/missions': ['MAX_FILES_AT_ONCE'],
      'PUT /v3/missions/{missionId}': ['MAX_FILES_AT_ONCE'],
    });
  });

  test('only the endpoints that create accept idempotency keys', () => {
    const idempotent = entries.filter(([, endpoint]) => endpoint.idempotent).map(([key]) => key);
    expect(idempotent).toEqual([
      'POST /v3/jobs/create',
      'POST /v3/jobs/dispatch',
      'POST /v3/devices/{deviceId}/commands',
      'POST /v3/streams/share',
    ]);
  });

  test('exactly the endpoints with a query or body schema declare invalid_request', () => {
    for (const [, { request, refusals }] of entries)
      expect(refusals.includes('invalid_request')).toBe(Boolean(request.query ?? request.body));
  });

  /** The endpoint that a function serves, if it serves one. */
  const servedBy = (entry: string) =>
    /\bserve\(\s*'([^']+)'/.exec(readFileSync(join(__dirname, '../../lambdas', `${entry}${ENDING}`), 'utf8'))?.[1];

  test('every endpoint has a function, and every function that serves one its endpoint', () => {
    const handlers = new Set(entries.map(([, { handler }]) => handler));
    expect(entryPoints().filter((entry) => servedBy(entry) !== undefined)).toEqual([...handlers].sort());
  });

  test.each([...new Set(entries.map(([, { handler }]) => handler))])(
    '%s serves an endpoint whose row names it',
    (handler) => {
      const key = servedBy(handler);
      expect(entries.find(([name]) => name === key)?.[1].handler).toBe(handler);
    },
  );

  test('endpoints with the same handler differ only in their path', () => {
    for (const [, endpoint] of entries)
      for (const [, other] of entries) if (endpoint.handler === other.handler) expect(endpoint).toBe(other);
  });

  /** What reads the text of a parameter that the schema takes as it is: it refuses all that this service has not issued. */
  const readers: Readonly<Record<string, (value: string) => unknown>> = {
    after: (value) => readCursor(acme, value),
    nextToken: (value) => readPageToken('jobs', value),
  };

  /** Compared as they are, so one that shows nothing finds nothing. */
  const identifiers = ['deviceGroupId', 'deviceId'];

  /** Why a query is refused, if the parameter is: the paths. */
  function refusedPaths(query: z.ZodMiniType, parameter: string, value: string): string[] {
    const { error } = query.safeParse({ [parameter]: value });
    const read = readers[parameter];
    if (error || !read) return error?.issues.map(({ path }) => path.join('.')) ?? [];
    return refusalOf(() => void read(value)).details.map(({ path }) => path);
  }

  const queries = entries.flatMap(([key, { request }]): [EndpointKey, z.ZodMiniType][] =>
    'query' in request ? [[key, request.query]] : [],
  );

  describe.each(queries)('the query of %s', (_key, query) => {
    const parameters = Object.keys((query as z.ZodMiniObject).shape).filter((name) => !identifiers.includes(name));
    test.each(parameters)('refuses %s that shows nothing', (parameter) => {
      for (const value of [
        '',
        ' ',
        '\u00A0\u2003',
        '\t\n',
        '\u202E',
        '\u200B\u2066\u2069',
        '\u061C ',
        '\u3164',
        '\u2800',
        '\u0000',
      ])
        expect([JSON.stringify(value), new Set(refusedPaths(query, parameter, value))]).toEqual([
          JSON.stringify(value),
          new Set([parameter]),
        ]);
    });
  });

  // Written into plain texts, which esbuild can leave out of the bundles of other endpoints.
  test('descriptions name the limits that hold', () => {
    expect(describeEndpoint(endpointTable['GET /v3/events'])).toContain(`up to ${MAX_WAIT_S} seconds`);
    expect(MAX_WAITING_OF_CLIENT).toBe(5);
    expect(describeEndpoint(endpointTable['GET /v3/events'])).toContain('At most five calls of a client wait');
    expect(describeEndpoint(endpointTable['GET /v3/jobs/{jobId}/track'])).toContain(
      `more than ${MAX_TRACK_POSITIONS.toLocaleString('en')} positions`,
    );
  });
});

describe('Endpoint table', () => {
  test('the required scope of every endpoint is in the list of scopes', () => {
    const required = Object.values(endpointTable).flatMap(namedScopes);
    expect(scopes).toEqual(expect.arrayContaining(required));
  });

  test('the key of an endpoint is its method and path', () => {
    expect(splitEndpointKey('PATCH /v3/jobs/{jobId}')).toEqual({ method: 'PATCH', path: '/v3/jobs/{jobId}' });
  });
});

describe('Stop limits', () => {
  const root = join(__dirname, '../..');
  const limits = Object.entries<StopLimit>(stopLimits);

  /** Sources that refuse for a limit or a lock. */
  const refusing = ['domain', 'data', 'lambdas'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name}`)
      .filter((path) => path.endsWith('.ts'))
      .filter((path) =>
        /new Refusal\(\s*'(too_many_\w+|held_by)'|\blimitRate\(/.test(readFileSync(join(root, path), 'utf8')),
      ),
  );
  /** What others call, and what only the platform is limited by. */
  const notOfTheirOwn = ['data/access/rate-limit.ts', 'lambdas/platform/consume-platform-events.lambda.ts'];

  test('every place that refuses for a limit or a lock is in the table', () => {
    const named = new Set(limits.flatMap(([, { refusedIn }]) => refusedIn));
    expect([...named].sort()).toEqual(refusing.filter((path) => !notOfTheirOwn.includes(path)).sort());
  });

  test('the guide has the table', () => {
    const rows = rowsBelow(readGuide('limits'), 'Stops').map((row) => row.join(' | '));
    expect(rows).toEqual(limits.map(([name, { usedUpBy, stop }]) => [name, usedUpBy, stop].join(' | ')));
  });
});
