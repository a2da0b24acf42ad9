import { request } from 'node:http';
import { connect } from 'node:net';
import { startApi, type ApiSpec, type SmallApi } from './small-api';

let api: SmallApi | undefined;

afterEach(async () => {
  await api?.stop();
  api = undefined;
});

async function start(spec: ApiSpec): Promise<SmallApi> {
  api = await startApi(spec);
  return api;
}

/** An API of one function at `/f`. */
const withFunction = (source: string, method = {}) =>
  start({ functions: { f: source }, methods: { 'ANY /f': { function: 'f', ...method } } });

const answering = (reply: unknown) => `exports.handler = async () => (${JSON.stringify(reply)})`;

describe('a function behind the gateway', () => {
  it('gets the request as a proxy event', async () => {
    const { fetch, url } = await start({
      functions: { f: 'exports.handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event) })' },
      methods: { 'POST /things/{id}': { function: 'f' } },
      stage: { Variables: { colour: 'blue' } },
    });
    const response = await fetch('/things/a%20b?x=1&x=2%263&empty=&y', {
      method: 'POST',
      headers: { 'content-type': 'text/plain', 'user-agent': 'test', 'x-forwarded-for': '203.0.113.9' },
      body: 'größe',
    });
    const event = (await response.json()) as { requestContext: { requestTimeEpoch: number } };
    expect(event).toMatchObject({
      resource: '/things/{id}',
      path: '/things/a%20b',
      httpMethod: 'POST',
      pathParameters: { id: 'a b' },
      queryStringParameters: { x: '2&3', empty: '', y: '' },
      multiValueQueryStringParameters: { x: ['1', '2&3'], empty: [''], y: [''] },
      headers: { 'content-type': 'text/plain', 'X-Forwarded-For': '203.0.113.9, 127.0.0.1', host: url.slice(7) },
      multiValueHeaders: { 'content-type': ['text/plain'] },
      stageVariables: { colour: 'blue' },
      body: 'größe',
      isBase64Encoded: false,
      requestContext: {
        stage: 'live',
        path: '/live/things/a%20b',
        resourcePath: '/things/{id}',
        httpMethod: 'POST',
        accountId: '123456789012',
        protocol: 'HTTP/1.1',
        requestId: response.headers.get('x-amzn-requestid'),
        extendedRequestId: response.headers.get('x-amz-apigw-id'),
        requestTime: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/) as string,
        identity: { sourceIp: '127.0.0.1', userAgent: 'test', apiKey: null },
      },
    });
    expect(event.requestContext.requestTimeEpoch).toBeGreaterThan(Date.now() - 60_000);
  });

  it('gets null where there is nothing', async () => {
    const { fetch } = await withFunction(
      'exports.handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event) })',
    );
    expect(await (await fetch('/f')).json()).toMatchObject({
      body: null,
      pathParameters: null,
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      stageVariables: null,
    });
  });

  it('has its status, headers and body passed on, some headers under another name', async () => {
    const { fetch } = await withFunction(
      answering({
        statusCode: 405,
        headers: {
          'WWW-Authenticate': 'Bearer',
          Allow: 'GET',
          Date: 'then',
          Upgrade: 'h2',
          'X-Count': 3,
          twice: 'lost',
        },
        multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'], twice: ['kept'] },
        body: '{}',
      }),
    );
    const { status, headers } = await fetch('/f');
    expect(status).toBe(405);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-amzn-remapped-www-authenticate': 'Bearer',
      'x-amzn-remapped-date': 'then',
      allow: 'GET',
      'x-count': '3',
      twice: 'kept',
      'content-type': 'application/json',
    });
    expect(headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect([headers.get('www-authenticate'), headers.get('upgrade')]).toEqual([null, null]);
  });

  it('may answer without a body', async () => {
    const { fetch } = await withFunction(answering({ statusCode: 204, body: null }));
    const response = await fetch('/f');
    expect([response.status, await response.text()]).toEqual([204, '']);
  });

  it.each([
    ['throws', 'exports.handler = async () => { throw new Error("secret detail"); }'],
    ['gives no status', answering({ body: '{}' })],
    ['gives an object for a body', answering({ statusCode: 200, body: {} })],
    ['gives nothing', 'exports.handler = async () => {}'],
    ['gives a header that can not be sent', answering({ statusCode: 200, headers: { 'x-y': 'a\nb' } })],
  ])('that %s is a bad gateway and nothing of it is told', async (_what, source) => {
    const { fetch } = await withFunction(source);
    const response = await fetch('/f');
    expect(response.status).toBe(502);
    expect(await response.json()).toEqual({ message: 'Internal server error' });
  });

  it('that takes too long is a gateway timeout', async () => {
    const { fetch } = await withFunction('exports.handler = () => new Promise(() => {})', { timeout: 50 });
    const response = await fetch('/f');
    expect(response.status).toBe(504);
    expect(await response.json()).toEqual({ message: 'Endpoint request timed out' });
  });

  it('that does not permit the call is a configuration error, which the log explains', async () => {
    const { fetch, log } = await withFunction(answering({ statusCode: 200 }), { forbidden: true });
    expect((await fetch('/f')).status).toBe(500);
    expect(log.join()).toMatch(
      /Invalid permissions on Lambda function arn:aws:lambda:\S+:f for arn:aws:execute-api:\S+\/live\/\*\/f/,
    );
  });
});

describe('a payload', () => {
  const megabyte = 1024 * 1024;

  it.each([
    ['of 5 MB goes through', 5 * megabyte, 200],
    ['of 7 MB is too large for a function', 7 * megabyte, 413],
    ['of 11 MB is too large for the gateway', 11 * megabyte, 413],
  ])('%s', async (_what, size, status) => {
    const { fetch } = await withFunction(
      'exports.handler = async ({ body }) => ({ statusCode: 200, body: String(body.length) })',
    );
    const response = await fetch('/f', { method: 'POST', body: 'x'.repeat(size) });
    expect(response.status).toBe(status);
    expect(await response.text()).toBe(status === 200 ? String(size) : '{"message":"Request Too Long"}');
  });

  it.each([
    [9, 418],
    [11, 413],
  ])('of %i MB that does not say how large it is gets %i where no function limits it', async (megabytes, status) => {
    const IntegrationResponses = [{ StatusCode: '418' }];
    const mock = { RequestTemplates: { 'application/json': '{"statusCode":418}' }, IntegrationResponses };
    const { url } = await start({ methods: { 'POST /f': { mock, responses: IntegrationResponses } } });
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

it('answers what is not HTTP with 400', async () => {
  const { url } = await withFunction(answering({ statusCode: 200 }));
  const said = await new Promise<string>((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
    socket.on('data', (data) => resolve(data.toString()));
  });
  expect(said).toContain('400 Bad Request');
});

describe('a gateway response', () => {
  const body = (template: string) => ({ ResponseTemplates: { 'application/json': template } });
  const methods = { 'GET /closed': { function: 'f', apiKey: true }, 'GET /f': { function: 'f' } };
  const functions = { f: 'exports.handler = async () => { throw new Error("no"); }' };

  it('of a type has its own status, headers and body', async () => {
    const { fetch } = await start({
      functions,
      methods,
      gatewayResponses: [
        {
          ResponseType: 'INVALID_API_KEY',
          StatusCode: '401',
          ResponseParameters: {
            'gatewayresponse.header.WWW-Authenticate': '\'Key realm="a"\'',
            'gatewayresponse.header.x-request-id': 'context.requestId',
            'gatewayresponse.header.x-from': 'method.request.header.X-From',
          },
          ...body(
            '{"error":$context.error.messageString,"raw":"$context.error.message","type":"$context.error.responseType","id":"$context.requestId"}',
          ),
        },
      ],
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

  it('that is not customised falls to the default of its class and keeps its status', async () => {
    const { fetch } = await start({
      functions,
      methods,
      gatewayResponses: [
        { ResponseType: 'DEFAULT_4XX', ...body('{"error":$context.error.messageString}') },
        {
          ResponseType: 'DEFAULT_5XX',
          StatusCode: '500',
          ...body('{"error":"Internal server error","id":"$context.requestId"}'),
        },
      ],
    });
    const forbidden = await fetch('/closed');
    expect([forbidden.status, await forbidden.json()]).toEqual([403, { error: 'Forbidden' }]);
    const failed = await fetch('/f');
    expect(failed.status).toBe(500);
    expect(await failed.json()).toEqual({ error: 'Internal server error', id: failed.headers.get('x-amzn-requestid') });
  });

  it.each([
    ['$input.body', '$input.body'],
    ['#set($x = 1)', '#set'],
    ['$context.nothing', 'context.nothing'],
  ])('with %s in its template stops the stack', async (template, named) => {
    await expect(
      start({ methods: {}, gatewayResponses: [{ ResponseType: 'THROTTLED', ...body(template) }] }),
    ).rejects.toThrow(named);
  });
});

describe('a mock integration', () => {
  const mock = {
    RequestTemplates: { 'application/json': '{"statusCode": 405}' },
    IntegrationResponses: [
      {
        StatusCode: '405',
        ResponseParameters: {
          'method.response.header.Allow': "'GET, POST'",
          'method.response.header.x-request-id': 'context.requestId',
        },
        ResponseTemplates: { 'application/json': '{"error":"Method not allowed","method":"$context.httpMethod"}' },
      },
    ],
  };
  const declared = {
    StatusCode: '405',
    ResponseParameters: { 'method.response.header.Allow': true, 'method.response.header.x-request-id': true },
  };
  const withMock = (changes: object = {}, responses: object[] = [declared]) =>
    start({ methods: { 'ANY /m': { mock: { ...mock, ...changes }, responses } } });

  it('answers with its status, headers and template', async () => {
    const { fetch } = await withMock();
    const response = await fetch('/m', {
      method: 'PUT',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: 'x',
    });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, POST');
    expect(response.headers.get('x-request-id')).toBe(response.headers.get('x-amzn-requestid'));
    expect(await response.json()).toEqual({ error: 'Method not allowed', method: 'PUT' });
  });

  it('without a template for the media type lets the body through, which fails', async () => {
    const { fetch } = await withMock();
    expect((await fetch('/m', { method: 'POST', body: 'text' })).status).toBe(500);
  });

  it('may refuse media types without a template', async () => {
    const { fetch } = await withMock({ PassthroughBehavior: 'NEVER' });
    expect((await fetch('/m', { method: 'POST', body: 'text' })).status).toBe(415);
  });

  it('may be written with a key without quotes, as CORS preflights are', async () => {
    const { fetch } = await withMock({ RequestTemplates: { 'application/json': '{ statusCode: 405 }' } });
    expect((await fetch('/m', { method: 'OPTIONS' })).status).toBe(405);
  });

  it('stops the stack when the method does not declare its response, or its header', async () => {
    await expect(withMock({}, [])).rejects.toThrow('declares no response 405');
    await expect(withMock({}, [{ StatusCode: '405' }])).rejects.toThrow(
      'does not declare method.response.header.Allow',
    );
  });

  it('stops the stack when its request template does more than name a status', async () => {
    await expect(
      withMock({ RequestTemplates: { 'application/json': '#if(true){"statusCode":405}#end' } }),
    ).rejects.toThrow('Method /m/ANY');
  });
});
