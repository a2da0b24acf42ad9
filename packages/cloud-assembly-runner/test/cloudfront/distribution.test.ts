import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { type Origin, type OriginRequest, createCloudFront } from '../../cloudfront';
import {
  serveDistribution,
  type DistributionOptions,
  type ServedDistribution,
  ALL_VIEWER_EXCEPT_HOST,
  CACHING_DISABLED,
} from './distribution-fixture';
import { compressed } from '../../cloudfront/compression';
import { nextMessage, serveApi, type Event, type Handler, type ServedApi } from '../websocket-api/served-api';
import { until } from '../until';

describe('CloudFront distribution', () => {
  let served: ServedDistribution | undefined;
  const asked: OriginRequest[] = [];
  const origin = (name: string, status = 200): Origin => ({
    serve: (one) => {
      asked.push(one);
      return Promise.resolve({
        status,
        headers: { 'content-type': 'text/plain', 'X-Frame-Options': 'SAMEORIGIN', server: name },
        body: `${name} ${one.path}`,
      });
    },
  });
  const origins = { site: origin('site'), api: origin('api') };
  const serve = async (options: Partial<DistributionOptions> = {}) =>
    (served = await serveDistribution({ origins, ...options }));
  const get = async (path: string, init?: RequestInit) => {
    const answer = await fetch(`${served?.url}${path}`, init);
    return { status: answer.status, headers: answer.headers, body: await answer.text() };
  };
  const forwarded = () =>
    Object.fromEntries((asked[0]?.headers ?? []).map(([name, value]) => [name.toLowerCase(), value]));

  beforeEach(() => (asked.length = 0));
  afterEach(async () => {
    await served?.cloudFront.stop?.();
    served = undefined;
  });

  test('has the same id and domain name at every start', async () => {
    const first = await serve();
    expect(first.domainName).toMatch(/^d[a-z0-9]{13}\.cloudfront\.net$/);
    expect(first.cloudFront.addressOf('dother.cloudfront.net')).toBeUndefined();
    await first.cloudFront.stop?.();
    expect((await serve()).domainName).toBe(first.domainName);
  });

  test('selects the behavior by path and prepends the origin path', async () => {
    await serve();
    expect((await get('/v3/jobs/1?x=1')).body).toBe('api /live/v3/jobs/1');
    expect((await get('/v3')).body).toBe('site /v3');
    expect(asked[0]).toMatchObject({ method: 'GET', query: 'x=1' });
  });

  test('forwards headers except Host, cookies and query with AllViewerExceptHostHeader', async () => {
    await serve();
    await get('/v3/a?b=c&b=d', {
      headers: {
        authorization: 'Bearer t',
        'user-agent': 'partner/1',
        cookie: 'a=1; b=2',
        'x-forwarded-for': '192.0.2.1',
      },
    });
    expect(asked[0]?.query).toBe('b=c&b=d');
    expect(forwarded()).toMatchObject({
      host: 'api',
      authorization: 'Bearer t',
      'user-agent': 'partner/1',
      cookie: 'a=1; b=2',
      'x-forwarded-for': '192.0.2.1, 127.0.0.1',
      'x-origin-secret': 'o',
    });
    expect(forwarded()).not.toHaveProperty('connection');
  });

  test('forwards only its own headers without an origin request policy', async () => {
    await serve();
    await get('/page?b=c', { headers: { authorization: 'Bearer t', 'user-agent': 'partner/1', cookie: 'a=1' } });
    expect(asked[0]?.query).toBe('');
    expect(Object.keys(forwarded()).sort()).toEqual(['host', 'user-agent', 'via', 'x-amz-cf-id', 'x-forwarded-for']);
    expect(forwarded()['user-agent']).toBe('Amazon CloudFront');
  });

  test('answers 403 to a method that the behavior does not allow', async () => {
    await serve();
    expect((await get('/v3/a', { method: 'DELETE' })).status).toBe(403);
    expect(asked).toEqual([]);
  });

  test('answers HEAD without a body', async () => {
    await serve();
    expect(await get('/v3/a', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
  });

  test('answers 502 when there is no origin or it fails', async () => {
    await serve({ origins: { api: { serve: () => Promise.reject(new Error('down')) } } });
    expect((await get('/page')).status).toBe(502);
    expect((await get('/v3/a')).status).toBe(502);
    expect(served?.log).toHaveLength(2);
  });

  test('serves the default root object at /', async () => {
    await serve({ config: { DefaultRootObject: 'index.html' } });
    expect((await get('/')).body).toBe('site /index.html');
  });

  test('serves a custom error page with its status', async () => {
    const pages: Origin = {
      serve: ({ path }) =>
        Promise.resolve(
          path === '/404.html'
            ? { status: 200, headers: { 'content-type': 'text/html' }, body: 'lost' }
            : { status: 403, headers: {}, body: 'denied' },
        ),
    };
    const CustomErrorResponses = [
      { ErrorCode: 403, ResponseCode: 404, ResponsePagePath: '/404.html', ErrorCachingMinTTL: 0 },
      { ErrorCode: 500, ErrorCachingMinTTL: 0 },
    ];
    await serve({ origins: { site: pages, api: origin('api', 500) }, config: { CustomErrorResponses } });
    expect(await get('/nowhere')).toMatchObject({ status: 404, body: 'lost' });
    expect(await get('/v3/a')).toMatchObject({ status: 500, body: 'api /live/v3/a' });
  });

  test('adds, overrides and removes headers by response headers policy', async () => {
    const responseHeaders = {
      SecurityHeadersConfig: {
        ContentSecurityPolicy: { ContentSecurityPolicy: "default-src 'self'", Override: true },
        ContentTypeOptions: { Override: true },
        FrameOptions: { FrameOption: 'DENY', Override: true },
        ReferrerPolicy: { ReferrerPolicy: 'no-referrer', Override: false },
        StrictTransportSecurity: { AccessControlMaxAgeSec: 60, IncludeSubdomains: true, Override: true },
        XSSProtection: { Protection: true, ModeBlock: true, Override: true },
      },
      CustomHeadersConfig: {
        Items: [
          { Header: 'Permissions-Policy', Value: 'camera=()', Override: true },
          { Header: 'Content-Type', Value: 'text/html', Override: false },
        ],
      },
      RemoveHeadersConfig: { Items: [{ Header: 'Server' }] },
    };
    await serve({ responseHeaders });
    const { headers } = await get('/page');
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy': "default-src 'self'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'strict-transport-security': 'max-age=60; includeSubDomains',
      'x-xss-protection': '1; mode=block',
      'permissions-policy': 'camera=()',
      'content-type': 'text/plain',
    });
    expect(headers.has('server')).toBe(false);
    expect((await get('/v3/a')).headers.get('server')).toBe('api');
  });

  test('answers an Upgrade to another protocol than WebSocket as a plain request', async () => {
    const upgrade = () => Promise.reject(new Error('no WebSocket'));
    await serve({ origins: { api: { ...origins.api, upgrade } } });
    const headers = { connection: 'Upgrade', upgrade: 'h2c' };
    const body = await new Promise((resolve) => {
      request(`${served?.url}/v3/a`, { headers }, (answer) =>
        answer.on('data', (data: Buffer) => resolve(data.toString())),
      ).end();
    });
    expect(body).toBe('api /live/v3/a');
  });

  test.each([
    ['a policy', { policies: { CachePolicyId: 'unknown' } }],
    ['an origin', { policies: { TargetOriginId: 'nowhere' } }],
    ['a method', { policies: { AllowedMethods: ['POST'] as unknown as string } }],
    ['a default behavior', { config: { DefaultCacheBehavior: { TargetOriginId: 'site', CachePolicyId: 'x' } } }],
  ])('refuses %s that is not supported', async (_what, options) => {
    await expect(serve(options)).rejects.toThrow(/(is|are) not supported|only viewer-request/);
  });
});

const text = 'drone '.repeat(400);
const reply = (more: object = {}) => ({
  status: 200,
  headers: { 'content-type': 'text/html', ETag: '"abc"' },
  body: text,
  ...more,
});
const both = { gzip: true, brotli: true };
const accepting = (value: string) => [['Accept-Encoding', value]] as const;

describe('CloudFront compression', () => {
  test('uses Brotli if the viewer accepts it', () => {
    const { headers, body } = compressed(reply(), accepting('gzip, deflate, br'), both);
    expect(headers).toEqual({
      'content-type': 'text/html',
      'content-encoding': 'br',
      etag: 'W/"abc"',
      vary: 'Accept-Encoding',
    });
    expect(brotliDecompressSync(Buffer.from(body)).toString()).toBe(text);
  });

  test('uses gzip if only that is accepted or allowed', () => {
    for (const [accepts, allows] of [
      ['gzip', both],
      ['br;q=0, gzip', both],
      ['br, gzip', { gzip: true, brotli: false }],
    ] as const) {
      const { headers, body } = compressed(reply(), accepting(accepts), allows);
      expect(headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(Buffer.from(body)).toString()).toBe(text);
    }
  });

  test.each<[string, object, string, object]>([
    ['a viewer that accepts neither encoding', {}, 'identity', both],
    ['a policy that does not allow it', {}, 'br, gzip', { gzip: false, brotli: false }],
    ['a small body', { body: 'x'.repeat(999) }, 'br', both],
    ['a compressed body', { headers: { 'content-type': 'text/html', 'Content-Encoding': 'gzip' } }, 'br', both],
    ['pictures', { headers: { 'content-type': 'image/png' } }, 'br', both],
    ['a missing content type', { headers: {} }, 'br', both],
    ['a server error', { status: 500 }, 'br', both],
  ])('leaves the reply unchanged for %s', (_, more, accepts, allows) => {
    const given = reply(more);
    expect(compressed(given, accepting(accepts), allows as typeof both)).toBe(given);
  });
});

const viewerRequest = `function handler(event) {
  var request = event.request;
  var match = /^\\/v3\\/jobs\\/([^/]+)\\/status\\/ws$/.exec(request.uri);
  if (!match) return { statusCode: 404 };
  request.uri = '/';
  request.querystring.jobId = { value: match[1] };
  return request;
}`;

describe('WebSocket API behind CloudFront', () => {
  let api: ServedApi;
  let cloudFront: ReturnType<typeof createCloudFront>;
  let url = '';
  const seen: Event[] = [];

  const serve = async ($connect: Handler, CustomErrorResponses: unknown[] = []) => {
    api = await serveApi({
      routes: {
        $connect: (event) => (seen.push(event), $connect(event)),
        $disconnect: (event) => void seen.push(event),
        ping: () => ({ statusCode: 200, body: '{"type":"pong"}' }),
      },
      answering: ['ping'],
    });
    const DomainName = `${api.apiId}.execute-api.eu-central-1.amazonaws.com`;
    cloudFront = createCloudFront({
      accountId: '000000000000',
      portOf: () => 0,
      originOf: (domain) => (api.api.serves(domain) ? api.api : undefined),
      log: () => undefined,
    });
    const create = async (type: string, properties: Record<string, unknown>) =>
      cloudFront.create({ type: `AWS::CloudFront::${type}`, logicalId: type, properties, metadata: {} });
    const { ref: FunctionARN } = await create('Function', {
      Name: 'path-to-query',
      FunctionCode: viewerRequest,
      FunctionConfig: { Runtime: 'cloudfront-js-2.0' },
    });
    const { attributes } = await create('Distribution', {
      DistributionConfig: {
        Origins: [{ Id: 'api', DomainName, OriginPath: '/live' }],
        DefaultCacheBehavior: {
          TargetOriginId: 'api',
          CachePolicyId: CACHING_DISABLED,
          OriginRequestPolicyId: ALL_VIEWER_EXCEPT_HOST,
          FunctionAssociations: [{ EventType: 'viewer-request', FunctionARN }],
        },
        CustomErrorResponses,
      },
    });
    await cloudFront.start?.();
    url = `ws://${cloudFront.addressOf(attributes?.DomainName ?? '')}`;
  };
  const connect = (path: string) =>
    new Promise<WebSocket>((resolve, reject) => {
      const socket = new WebSocket(`${url}${path}`, { headers: { Authorization: 'Bearer t' } });
      socket.once('error', reject).once('open', () => resolve(socket));
    });
  const ok = () => ({ statusCode: 200 });

  beforeEach(() => (seen.length = 0));
  afterEach(async () => {
    await cloudFront.stop?.();
    await api.stop();
  });

  test('opens a socket with the path rewritten to a query', async () => {
    await serve(ok);
    const socket = await connect('/v3/jobs/job-1/status/ws?token=t');
    expect(seen[0]).toMatchObject({
      queryStringParameters: { token: 't', jobId: 'job-1' },
      headers: { Authorization: 'Bearer t', 'X-Forwarded-For': '127.0.0.1, 127.0.0.1' },
    });
    socket.send('{"action":"ping"}');
    expect(await nextMessage(socket)).toEqual({ type: 'pong' });
  });

  test.each([401, 403, 404, 429])('passes on a refusal with status %d', async (statusCode) => {
    await serve(() => ({ statusCode }), [{ ErrorCode: statusCode, ErrorCachingMinTTL: 0 }]);
    await expect(connect('/v3/jobs/job-1/status/ws')).rejects.toThrow(`Unexpected server response: ${statusCode}`);
  });

  test('refuses in the viewer function without calling the API', async () => {
    await serve(ok);
    await expect(connect('/v3/nowhere')).rejects.toThrow('Unexpected server response: 404');
    expect(seen).toEqual([]);
  });

  test('answers 403 to a plain request', async () => {
    await serve(ok);
    const answer = await fetch(`${url.replace('ws', 'http')}/v3/jobs/job-1/status/ws`);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toEqual({ message: 'Missing Authentication Token' });
  });

  test('closes its sockets when the distribution stops', async () => {
    await serve(ok);
    const socket = await connect('/v3/jobs/job-1/status/ws');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await cloudFront.stop?.();
    await closed;
    await until(() => seen.length === 2);
    expect(seen[1]?.requestContext.eventType).toBe('DISCONNECT');
  });
});
