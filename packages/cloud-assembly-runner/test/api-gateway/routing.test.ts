import { request } from 'node:http';
import { connect } from 'node:net';
import * as fc from 'fast-check';
import { createRoutes } from '../../api-gateway/routing';
import { startApi, type SmallApi, answering, apiPerTest, functionAtF } from './rest-api-fixture';

const start = apiPerTest();

describe('Routing', () => {
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
});

describe('Server', () => {
  /** Starts an API of one function at `/f`. */
  const withFunction = (source: string, method = {}) => start(functionAtF(source, method));

  describe('Payload size', () => {
    const megabyte = 1024 * 1024;

    test.each([
      ['accepts 5 MB', 5 * megabyte, 200],
      ['refuses 7 MB, the limit of a function', 7 * megabyte, 413],
      ['refuses 11 MB, the limit of the gateway', 11 * megabyte, 413],
    ])('%s', async (_what, size, status) => {
      const { fetch } = await withFunction(
        'exports.handler = async ({ body }) => ({ statusCode: 200, body: String(body.length) })',
      );
      const response = await fetch('/f', { method: 'POST', body: 'x'.repeat(size) });
      expect(response.status).toBe(status);
      expect(await response.text()).toBe(status === 200 ? String(size) : '{"message":"Request Too Long"}');
    });

    test.each([
      [9, 418],
      [11, 413],
    ])('a chunked body of %i MB is answered with %i by a mock integration', async (megabytes, status) => {
      const replies = { default: { statusCode: '418' } };
      const mock = { requestTemplates: { 'application/json': '{"statusCode":418}' }, responses: replies };
      const responses = { 418: { description: 'A teapot' } };
      const { url } = await start({ methods: { 'POST /f': { mock, responses } } });
      const answered = await new Promise<number | undefined>((resolve, reject) => {
        const upload = request(`${url}/f`, { method: 'POST' }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        upload.on('error', reject);
        for (let sent = 0; sent < megabytes; sent += 1) upload.write(Buffer.alloc(megabyte));
        upload.end();
      });
      expect(answered).toBe(status);
    });
  });

  test('answers 400 to a request that is not HTTP', async () => {
    const { url } = await withFunction(answering({ statusCode: 200 }));
    const received = await new Promise<string>((resolve) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
      socket.on('data', (data) => resolve(data.toString()));
    });
    expect(received).toContain('400 Bad Request');
  });
});

const DOCS = 'http://127.0.0.1:3001';
const source = `exports.handler = async () => ({ statusCode: 200, headers: { ETag: '"1"' }, body: '{}' })`;

describe('Cross-origin calls', () => {
  let api: SmallApi;

  beforeAll(async () => {
    api = await startApi({
      functions: { f: source },
      methods: { 'PATCH /f': { function: 'f' } },
      gatewayResponses: { MISSING_AUTHENTICATION_TOKEN: { statusCode: '404' } },
      corsOrigins: [DOCS],
    });
  });
  afterAll(() => api.stop());

  const preflight = (origin: string) =>
    api.fetch('/f', {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization,content-type',
      },
    });

  test('are permitted to the origin of the options, with its method and headers', async () => {
    const { status, headers } = await preflight(DOCS);
    expect(status).toBe(204);
    expect(Object.fromEntries(headers)).toMatchObject({
      'access-control-allow-origin': DOCS,
      'access-control-allow-methods': 'PATCH',
      'access-control-allow-headers': 'authorization,content-type',
      vary: 'Origin',
    });
  });

  test.each([
    ['a reply', 'PATCH', 200],
    ['a refusal', 'DELETE', 404],
  ])('may read %s with all its headers', async (_, method, status) => {
    const response = await api.fetch('/f', { method, headers: { origin: DOCS } });
    expect(response.status).toBe(status);
    expect(response.headers.get('access-control-allow-origin')).toBe(DOCS);
    expect(response.headers.get('access-control-expose-headers')).toBe('*');
  });

  test('of another origin reach the API, and replies have no CORS headers', async () => {
    const refused = await preflight('http://127.0.0.1:3002');
    expect(refused.status).toBe(404);
    const response = await api.fetch('/f', { method: 'PATCH', headers: { origin: 'http://evil.example' } });
    expect(response.status).toBe(200);
    for (const { headers } of [refused, response]) expect(headers.has('access-control-allow-origin')).toBe(false);
  });

  test('leave requests without an origin as they are', async () => {
    const response = await api.fetch('/f', { method: 'PATCH' });
    expect([...response.headers.keys()].filter((name) => /^(access-control|vary)/.test(name))).toEqual([]);
  });
});

describe('Gateway response', () => {
  const body = (template: string) => ({ responseTemplates: { 'application/json': template } });
  const methods = { 'GET /closed': { function: 'f', apiKey: true }, 'GET /f': { function: 'f' } };
  const functions = { f: 'exports.handler = async () => { throw new Error("no"); }' };

  test('has the status, headers and body customised for its type', async () => {
    const { fetch } = await start({
      functions,
      methods,
      gatewayResponses: {
        INVALID_API_KEY: {
          statusCode: '401',
          responseParameters: {
            'gatewayresponse.header.WWW-Authenticate': '\'Key realm="a"\'',
            'gatewayresponse.header.x-request-id': 'context.requestId',
            'gatewayresponse.header.x-from': 'method.request.header.X-From',
          },
          ...body(
            '{"error":$context.error.messageString,"raw":"$context.error.message","type":"$context.error.responseType","id":"$context.requestId"}',
          ),
        },
      },
    });
    const response = await fetch('/closed', { headers: { 'x-from': 'me' } });
    const id = response.headers.get('x-amzn-requestid');
    expect(response.status).toBe(401);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'www-authenticate': 'Key realm="a"',
      'x-request-id': id,
      'x-from': 'me',
      'content-type': 'application/json',
    });
    expect(await response.json()).toEqual({ error: 'Forbidden', raw: 'Forbidden', type: 'INVALID_API_KEY', id });
  });

  test('falls back to the default of its class and keeps its status', async () => {
    const { fetch } = await start({
      functions,
      methods,
      gatewayResponses: {
        DEFAULT_4XX: body('{"error":$context.error.messageString}'),
        DEFAULT_5XX: { statusCode: '500', ...body('{"error":"Internal server error","id":"$context.requestId"}') },
      },
    });
    const forbidden = await fetch('/closed');
    expect([forbidden.status, await forbidden.json()]).toEqual([403, { error: 'Forbidden' }]);
    const failed = await fetch('/f');
    expect(failed.status).toBe(500);
    expect(await failed.json()).toEqual({ error: 'Internal server error', id: failed.headers.get('x-amzn-requestid') });
  });

  test.each([
    ['$input.body', '$input.body'],
    ['#set($x = 1)', '#set'],
    ['$context.nothing', 'context.nothing'],
  ])('a template with %s stops the start', async (template, named) => {
    await expect(start({ methods: {}, gatewayResponses: { THROTTLED: body(template) } })).rejects.toThrow(named);
  });
});
