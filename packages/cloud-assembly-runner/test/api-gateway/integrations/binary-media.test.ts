import { answering, apiPerTest, functionAtF, type ApiSpec } from '../rest-api-fixture';

const start = apiPerTest();

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
