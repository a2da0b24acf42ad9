import { answering, apiPerTest, functionAtF } from '../rest-api-fixture';

const start = apiPerTest();

/** Starts an API of one function at `/f`. */
const withFunction = (source: string, method = {}) => start(functionAtF(source, method));

describe('Lambda proxy integration', () => {
  test('passes the request as a proxy event', async () => {
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

  test('passes null for missing values', async () => {
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

  test('passes on status, headers and body, and remaps some headers', async () => {
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

  test('accepts a reply without a body', async () => {
    const { fetch } = await withFunction(answering({ statusCode: 204, body: null }));
    const response = await fetch('/f');
    expect([response.status, await response.text()]).toEqual([204, '']);
  });

  test.each([
    ['throws', 'exports.handler = async () => { throw new Error("secret detail"); }'],
    ['returns no status', answering({ body: '{}' })],
    ['returns an object as the body', answering({ statusCode: 200, body: {} })],
    ['returns nothing', 'exports.handler = async () => {}'],
    ['returns an invalid header', answering({ statusCode: 200, headers: { 'x-y': 'a\nb' } })],
  ])('answers 502 without details when the function %s', async (_what, source) => {
    const { fetch } = await withFunction(source);
    const response = await fetch('/f');
    expect(response.status).toBe(502);
    expect(await response.json()).toEqual({ message: 'Internal server error' });
  });

  test('answers 504 when the function exceeds the integration timeout', async () => {
    // With a timer, since a function whose event loop is empty ends.
    const busy = 'exports.handler = () => new Promise((resolve) => setTimeout(resolve, 60_000))';
    const { fetch } = await withFunction(busy, { timeout: 50 });
    const response = await fetch('/f');
    expect(response.status).toBe(504);
    expect(await response.json()).toEqual({ message: 'Endpoint request timed out' });
  });

  test('answers 500 without an AWS::Lambda::Permission, and logs the reason', async () => {
    const { fetch, log } = await withFunction(answering({ statusCode: 200 }), { forbidden: true });
    expect((await fetch('/f')).status).toBe(500);
    expect(log.join()).toMatch(
      /Invalid permissions on Lambda function arn:aws:lambda:\S+:f for arn:aws:execute-api:\S+\/live\/\*\/f/,
    );
  });

  // Developer guide, "Control access for invoking an API": a wildcard stands for stages, methods and paths, slashes included.
  test.each([
    ['*', 200],
    ['live/*', 200],
    ['*/GET/orders/*', 200],
    ['live/GET/orders/*/items', 200],
    ['live/POST/*', 500],
    ['live/GET/orders/*/item', 500],
    ['test/*', 500],
    ['authorizers/*', 500],
  ])('is permitted to %s, so a call has %i', async (permitted, status) => {
    const { fetch } = await start({
      functions: { f: answering({ statusCode: 200 }) },
      methods: { 'GET /orders/{orderId}/items': { function: 'f' } },
      permitted,
    });
    expect((await fetch('/orders/7/items')).status).toBe(status);
  });
});

describe('Mock integration', () => {
  const reply = {
    statusCode: '405',
    responseParameters: {
      'method.response.header.Allow': "'GET, POST'",
      'method.response.header.x-request-id': 'context.requestId',
    },
    responseTemplates: { 'application/json': '{"error":"Method not allowed","method":"$context.httpMethod"}' },
  };
  const mock = { requestTemplates: { 'application/json': '{"statusCode": 405}' }, responses: { default: reply } };
  const text = { schema: { type: 'string' } };
  const declared = { 405: { description: 'Not allowed', headers: { Allow: text, 'x-request-id': text } } };
  const withMock = (changes: object = {}, responses: object = declared) =>
    start({ methods: { 'ANY /m': { mock: { ...mock, ...changes }, responses } } });

  test('answers with its status, headers and template', async () => {
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

  test('fails without a template for the media type: the body is passed through', async () => {
    const { fetch } = await withMock();
    expect((await fetch('/m', { method: 'POST', body: 'text' })).status).toBe(500);
  });

  test('answers 415 with passthroughBehavior never', async () => {
    const { fetch } = await withMock({ passthroughBehavior: 'never' });
    expect((await fetch('/m', { method: 'POST', body: 'text' })).status).toBe(415);
  });

  test('accepts an unquoted key, as in CORS preflights of the CDK', async () => {
    const { fetch } = await withMock({ requestTemplates: { 'application/json': '{ statusCode: 405 }' } });
    expect((await fetch('/m', { method: 'OPTIONS' })).status).toBe(405);
  });

  test('stops the start when the method does not declare its response or header', async () => {
    await expect(withMock({}, { 404: { description: 'Not found' } })).rejects.toThrow('declares no response 405');
    await expect(withMock({}, { 405: { description: 'Not allowed' } })).rejects.toThrow(
      'does not declare method.response.header.Allow',
    );
  });

  test('stops the start when its request template is more than a status', async () => {
    await expect(
      withMock({ requestTemplates: { 'application/json': '#if(true){"statusCode":405}#end' } }),
    ).rejects.toThrow('ANY /m');
  });
});
