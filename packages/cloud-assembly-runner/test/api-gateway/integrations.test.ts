import { answering, apiPerTest, functionAtF, type ApiSpec } from './rest-api-fixture';

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

/** Bytes that are not UTF-8. */
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x0a, 0xff, 0xd9]);
const IMAGE = JPEG.toString('base64');

const echo =
  'exports.handler = async ({ body, isBase64Encoded }) => ({ statusCode: 200, body: JSON.stringify({ body, isBase64Encoded }) })';
const length =
  'exports.handler = async ({ body }) => ({ statusCode: 200, body: String(Buffer.from(body, "base64").length) })';
const zeros =
  'exports.handler = async ({ queryStringParameters: { bytes } }) => ({ statusCode: 200, isBase64Encoded: true, body: Buffer.alloc(Number(bytes)).toString("base64") })';
const image = answering({
  statusCode: 200,
  headers: { 'Content-Type': 'image/jpeg' },
  isBase64Encoded: true,
  body: IMAGE,
});

/** Starts an API of one function at `/f`, whose document lists these types. */
const withTypes = (binaryMediaTypes: readonly string[], source: string, more: Partial<ApiSpec> = {}) =>
  start({ ...functionAtF(source), binaryMediaTypes, ...more });
const upload = (type: string | undefined, body: Buffer | string) => ({
  method: 'POST',
  body: new Uint8Array(Buffer.from(body)),
  headers: type === undefined ? {} : { 'content-type': type },
});

describe('A request with a body', () => {
  test.each<[string, string | undefined, readonly string[], boolean]>([
    ['of a listed type', 'image/jpeg', ['image/png', 'image/jpeg'], true],
    ['of a listed type with a parameter', 'image/jpeg; name=a', ['image/jpeg'], true],
    ['of a listed type in capitals', 'Image/JPEG', ['image/jpeg'], true],
    ['of a type that is listed as CloudFormation writes it', 'image/jpeg', ['image~1jpeg'], true],
    ['of any type, if all are listed', 'image/jpeg', ['*/*'], true],
    ['without a type, if all are listed', undefined, ['*/*'], true],
    ['of another type', 'image/jpeg', ['image/png'], false],
    ['of a type that begins like a listed one', 'image/jpeg2000', ['image/jpeg'], false],
    ['without a type', undefined, ['image/jpeg'], false],
    ['of any type, if none is listed', 'image/jpeg', [], false],
  ])('%s reaches the function as binary, or else as text', async (_what, type, types, isBinary) => {
    const { fetch } = await withTypes(types, echo);
    const expected = isBinary
      ? { body: IMAGE, isBase64Encoded: true }
      : { body: JPEG.toString(), isBase64Encoded: false };
    expect(await (await fetch('/f', upload(type, JPEG))).json()).toEqual(expected);
  });

  test('that is JSON stays text beside a listed type', async () => {
    const { fetch } = await withTypes(['image/jpeg'], echo);
    const answer = await fetch('/f', upload('application/json', '{"größe":1}'));
    expect(await answer.json()).toEqual({ body: '{"größe":1}', isBase64Encoded: false });
  });

  test('that is empty is null', async () => {
    const { fetch } = await withTypes(['*/*'], echo);
    expect(await (await fetch('/f')).json()).toEqual({ body: null, isBase64Encoded: false });
  });

  test('is binary by the property of the API too', async () => {
    const { fetch } = await start({ ...functionAtF(echo), api: { BinaryMediaTypes: ['image/jpeg'] } });
    expect(await (await fetch('/f', upload('image/jpeg', JPEG))).json()).toEqual({
      body: IMAGE,
      isBase64Encoded: true,
    });
  });

  const megabyte = 1024 * 1024;
  test.each([
    ['4 MB', 4 * megabyte, 200],
    ['5 MB, which base64 makes more than 6 MB,', 5 * megabyte, 413],
    ['11 MB', 11 * megabyte, 413],
  ])('of %s is answered by its size', async (_what, bytes, status) => {
    const { fetch } = await withTypes(['image/jpeg'], length);
    const answer = await fetch('/f', upload('image/jpeg', Buffer.alloc(bytes)));
    expect([answer.status, await answer.text()]).toEqual([
      status,
      status === 200 ? String(bytes) : '{"message":"Request Too Long"}',
    ]);
  });
});

describe('A response in base64', () => {
  test.each<[string, string, readonly string[], boolean]>([
    ['accepted by a listed type', 'image/jpeg', ['image/jpeg'], true],
    ['accepted by a listed type first', 'image/jpeg, text/html', ['image/jpeg'], true],
    ['accepted by a listed type with a parameter', 'image/jpeg;q=0.9, text/html', ['image/jpeg'], true],
    ['accepted by a listed type in second place', 'text/html, image/jpeg', ['image/jpeg'], false],
    ['accepted by a wildcard that is not listed', '*/*', ['image/jpeg'], false],
    ['accepted by another type', 'image/png', ['image/jpeg'], false],
    ['accepted by any type, if all are listed', 'text/html', ['*/*'], true],
    ['accepted by any type, if none is listed', 'image/jpeg', [], false],
  ])('%s is decoded, or else sent as it is', async (_what, accept, types, isBinary) => {
    const { fetch } = await withTypes(types, image);
    const answer = await fetch('/f', { headers: { accept } });
    expect(answer.headers.get('content-type')).toBe('image/jpeg');
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(isBinary ? JPEG : Buffer.from(IMAGE));
    expect(Number(answer.headers.get('content-length'))).toBe(isBinary ? JPEG.length : IMAGE.length);
  });

  test('is decoded only if the function says so', async () => {
    const { fetch } = await withTypes(['image/jpeg'], answering({ statusCode: 200, body: IMAGE }));
    expect(await (await fetch('/f', { headers: { accept: 'image/jpeg' } })).text()).toBe(IMAGE);
  });

  test.each(['no!=', 'abcde'])('that is %s, no base64, is an error of the API', async (body) => {
    const source = answering({ statusCode: 200, isBase64Encoded: true, body });
    const { fetch, log } = await withTypes(['image/jpeg'], source);
    expect((await fetch('/f', { headers: { accept: 'image/jpeg' } })).status).toBe(500);
    expect(log.join()).toContain('Unable to base64 decode the body');
  });

  test.each([
    [4_000_000, 200],
    [5_000_000, 502],
  ])('of %i bytes before the encoding has %i', async (bytes, status) => {
    const { fetch } = await withTypes(['image/jpeg'], zeros);
    const answer = await fetch(`/f?bytes=${bytes}`, { headers: { accept: 'image/jpeg' } });
    expect(answer.status).toBe(status);
    expect((await answer.arrayBuffer()).byteLength).toBe(
      status === 200 ? bytes : '{"message":"Internal server error"}'.length,
    );
  });
});

describe('A mock integration', () => {
  const reply = { statusCode: '405', responseTemplates: { 'application/json': '{"error":"Method not allowed"}' } };
  const status = '{"statusCode":405}';
  const mock = {
    requestTemplates: { 'application/json': status, 'image/jpeg': status },
    responses: { default: reply },
  };
  const methodsOf = (integration: object) => ({
    'ANY /m': { mock: integration, responses: { 405: { description: 'Not allowed' } } },
  });
  const methods = methodsOf(mock);
  const contentHandling = 'CONVERT_TO_TEXT';
  const asText = { ...mock, contentHandling, responses: { default: { ...reply, contentHandling } } };

  test('answers beside a listed type', async () => {
    const { fetch } = await start({ methods, binaryMediaTypes: ['image/jpeg'] });
    const answer = await fetch('/m', { headers: { accept: 'application/json' } });
    expect([answer.status, await answer.json()]).toEqual([405, { error: 'Method not allowed' }]);
  });

  test('fails for a client that accepts a listed type, since its text is no base64', async () => {
    const { fetch } = await start({ methods, binaryMediaTypes: ['image/jpeg'] });
    expect((await fetch('/m', { headers: { accept: 'image/jpeg' } })).status).toBe(500);
  });

  test('fails for a body of a listed type, which its template can not read', async () => {
    const { fetch } = await start({ methods, binaryMediaTypes: ['image/jpeg'] });
    expect((await fetch('/m', upload('image/jpeg', JPEG))).status).toBe(500);
    expect((await fetch('/m', upload('application/json', '{}'))).status).toBe(405);
  });

  test.each([['image/jpeg'], ['*/*']])('that converts to text answers a client of a type in %s', async (type) => {
    const { fetch } = await start({ methods: methodsOf(asText), binaryMediaTypes: [type] });
    const sent = upload('image/jpeg', JPEG);
    const answer = await fetch('/m', { ...sent, headers: { ...sent.headers, accept: 'image/jpeg' } });
    expect([answer.status, await answer.json()]).toEqual([405, { error: 'Method not allowed' }]);
  });

  test('stops the start if all types are listed', async () => {
    await expect(start({ methods, binaryMediaTypes: ['*/*'] })).rejects.toThrow('ANY /m: a mock integration fails');
  });
});

describe('Binary media types beside the document', () => {
  test.each(['image/jpeg', 'image/png'])('are merged with those in it: %s', async (type) => {
    const { fetch } = await withTypes(['image/jpeg'], echo, { api: { BinaryMediaTypes: ['image/png'] } });
    expect(await (await fetch('/f', upload(type, JPEG))).json()).toMatchObject({ isBase64Encoded: true });
  });

  test('stop the start if the document overwrites them', async () => {
    const api = { BinaryMediaTypes: ['image/png'], Mode: 'overwrite' };
    await expect(withTypes([], echo, { api })).rejects.toThrow('the mode overwrite replaces BinaryMediaTypes');
  });
});
