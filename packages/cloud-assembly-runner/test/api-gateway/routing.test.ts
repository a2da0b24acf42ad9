import * as fc from 'fast-check';
import { createRoutes } from '../../api-gateway/routing';
import { startApi, type SmallApi } from './rest-api-fixture';

/** Returns the event. */
const echo = 'exports.handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event) })';

interface Event {
  readonly resource: string;
  readonly path: string;
  readonly httpMethod: string;
  readonly pathParameters: Record<string, string> | null;
  readonly requestContext: Record<string, unknown>;
}

describe('Routing', () => {
  let api: SmallApi;

  beforeAll(async () => {
    api = await startApi({
      functions: { echo },
      methods: {
        'GET /v3/jobs': { function: 'echo' },
        'POST /v3/jobs/create': { function: 'echo' },
        'GET /v3/jobs/{jobId}': { function: 'echo' },
        'ANY /v3/jobs/{jobId}/cancel': { function: 'echo' },
        'ANY /files/{path+}': { function: 'echo' },
      },
    });
  });
  afterAll(() => api.stop());

  const event = async (path: string, method = 'GET') => {
    const response = await api.fetch(path, { method });
    expect(response.status).toBe(200);
    return (await response.json()) as Event;
  };

  test('matches the path and decodes its parameters', async () => {
    expect(await event('/v3/jobs')).toMatchObject({ resource: '/v3/jobs', path: '/v3/jobs', pathParameters: null });
    expect(await event('/v3/jobs/a%20b%2Fc')).toMatchObject({
      resource: '/v3/jobs/{jobId}',
      path: '/v3/jobs/a%20b%2Fc',
      pathParameters: { jobId: 'a b/c' },
    });
    expect(await event('/files/a/b/c.txt', 'PUT')).toMatchObject({
      resource: '/files/{path+}',
      pathParameters: { path: 'a/b/c.txt' },
    });
  });

  test('prefers a literal segment to a parameter, with its methods only', async () => {
    expect(await event('/v3/jobs/create', 'POST')).toMatchObject({ resource: '/v3/jobs/create' });
    expect((await api.fetch('/v3/jobs/create')).status).toBe(403);
  });

  test.each(['GET', 'DELETE', 'PATCH', 'OPTIONS'])('%s matches a method ANY', async (method) => {
    expect(await event('/v3/jobs/7/cancel', method)).toMatchObject({ httpMethod: method });
  });

  test('treats HEAD as its own method, without a response body', async () => {
    const response = await api.fetch('/v3/jobs/7/cancel', { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect((await api.fetch('/v3/jobs', { method: 'HEAD' })).status).toBe(403);
  });

  test.each(['/', '/v3', '/v2/jobs', '/v3/jobs/1/2', '/v3//jobs', '/files', '/V3/jobs'])(
    'answers Missing Authentication Token to the unknown path %s',
    async (path) => {
      const response = await api.fetch(path);
      expect(response.status).toBe(403);
      expect(response.headers.get('x-amzn-errortype')).toBe('MissingAuthenticationTokenException');
      expect(await response.json()).toEqual({ message: 'Missing Authentication Token' });
    },
  );

  test('answers an unknown path with a bearer token as a malformed signature', async () => {
    const response = await api.fetch('/v2', { headers: { authorization: 'Bearer abc' } });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('Authorization header');
  });

  test.each(['/v3/jobs/%', '/v3/jobs/%zz', '/v3/jobs/%ff', '/v3/jobs?limit=%', '/v3/jobs?%e0%a4%a=1'])(
    'answers 400 to the malformed URL %s',
    async (path) => {
      const response = await api.fetch(path);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ message: 'Bad Request' });
    },
  );

  test('answers any printable path', async () => {
    const text = fc.string({
      unit: fc.constantFrom(...'/%?&=+.~\'()!@$,;:[]{}|^aZ09ä#\\"<>'.split('')),
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(text, async (path) => {
        const response = await api.fetch(`/${path}`);
        await response.text();
        expect([200, 400, 403]).toContain(response.status);
      }),
      { numRuns: 200 },
    );
  });
});

test('prefers literals to parameters, without backtracking: AWS documents none', () => {
  const routes = createRoutes<string>();
  for (const path of ['/a/b', '/{x}', '/{x}/c', '/g/{rest+}']) routes.add(path, 'GET', path);
  const found = (path: string) => {
    const route = routes.find(path, 'GET');
    return [route?.method, route?.pathParameters];
  };
  expect(found('/a/b')).toEqual(['/a/b', {}]);
  expect(found('/a/b/')).toEqual(['/a/b', {}]);
  expect(found('/y/c')).toEqual(['/{x}/c', { x: 'y' }]);
  expect(found('/y')).toEqual(['/{x}', { x: 'y' }]);
  expect(found('/g/a/b')).toEqual(['/g/{rest+}', { rest: 'a/b' }]);
  for (const path of ['/a/c', '/a', '/a/b/c', '/y/d', '/g']) expect(found(path)).toEqual([undefined, undefined]);
  expect(found('/')).toEqual([undefined, undefined]);
});

test('serves nothing without a stage', async () => {
  const api = await startApi({ methods: {}, stage: { DeploymentId: 'another' } });
  expect(api.url).toBe('');
  await api.stop();
});
