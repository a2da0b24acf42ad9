import { requestToken } from '../../../data/partners/tokens';

const granted = { access_token: 'header.payload.signature', token_type: 'Bearer', expires_in: 3600 };
const cognito = jest.spyOn(globalThis, 'fetch');
const answers = (status: number, body: unknown) =>
  cognito.mockResolvedValue(new Response(typeof body === 'string' ? body : JSON.stringify(body), { status }));
const ask = () => requestToken('client-1', 'secret-1');

beforeEach(() => {
  cognito.mockReset();
  process.env['TOKEN_URL'] = 'https://identity.test/oauth2/token';
});

/** The form that Cognito was sent, and whether a header named the client too. */
function sent() {
  const [url, request] = cognito.mock.calls[0] ?? [];
  const { method, headers } = new Request(url as string, request);
  return { method, headers, form: Object.fromEntries(request?.body as URLSearchParams) };
}

test('requestToken sends the credentials in the form, without a scope', async () => {
  answers(200, granted);
  await expect(ask()).resolves.toEqual(granted);
  expect(cognito).toHaveBeenCalledTimes(1);
  const { method, headers, form } = sent();
  expect([method, headers.get('content-type')?.split(';')[0], headers.get('authorization')]).toEqual([
    'POST',
    'application/x-www-form-urlencoded',
    null,
  ]);
  expect(form).toEqual({ grant_type: 'client_credentials', client_id: 'client-1', client_secret: 'secret-1' });
});

test('a secret with special characters is form-encoded', async () => {
  answers(200, granted);
  await requestToken('client-1', 'a+b&c=d');
  expect(sent().form).toMatchObject({ client_secret: 'a+b&c=d' });
  const body = cognito.mock.calls[0]?.[1]?.body as URLSearchParams;
  expect(body.toString()).toContain('client_secret=a%2Bb%26c%3Dd');
});

test.each([400, 401])('a %d of Cognito with invalid_client is a refusal', async (status) => {
  answers(status, { error: 'invalid_client' });
  await expect(ask()).rejects.toMatchObject({ code: 'invalid_client' });
});

test('a 429 of Cognito is a refusal', async () => {
  answers(429, '');
  await expect(ask()).rejects.toMatchObject({ code: 'too_many_requests' });
});

test.each([
  ['a fault of its own', 500, { message: 'oops' }, 'answered 500 without an error code'],
  ['a page of HTML', 503, '<html>', 'answered 503 without an error code'],
  ['a request that it does not like', 400, { error: 'invalid_grant' }, 'answered 400 invalid_grant'],
  ['a code that is no text', 400, { error: { code: 1 } }, 'answered 400 without an error code'],
  ['null', 400, null, 'answered 400 without an error code'],
])('requestToken fails when Cognito answers with %s', async (_, status, body, message) => {
  answers(status, body);
  await expect(ask()).rejects.toMatchObject({ name: 'Error', message: `the identity provider ${message}` });
});

test.each([['<html>'], [null], [{ ...granted, token_type: 'mac' }], [{ ...granted, access_token: undefined }]])(
  'requestToken fails for a 200 with %j, without the token in the error',
  async (body) => {
    answers(200, body);
    const failure = (await ask().catch((error: unknown) => error)) as Error;
    expect(failure.name).toBe('$ZodError');
    expect(JSON.stringify([failure, failure.message, failure.stack])).not.toContain(granted.access_token);
  },
);

test('requestToken fails when Cognito cannot be reached', async () => {
  const fault = new TypeError('fetch failed');
  cognito.mockRejectedValue(fault);
  await expect(ask()).rejects.toBe(fault);
  expect(cognito).toHaveBeenCalledTimes(2);
});

test('requestToken retries on another connection when one was closed while the function was frozen', async () => {
  answers(200, granted);
  cognito.mockRejectedValueOnce(new TypeError('fetch failed', { cause: new Error('other side closed') }));
  await expect(ask()).resolves.toEqual(granted);
  expect(cognito).toHaveBeenCalledTimes(2);
});

test('requestToken fails after a timeout', async () => {
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort(new Error('too late')));
  cognito.mockImplementation((_, request) => Promise.reject(request?.signal?.reason as Error));
  await expect(ask()).rejects.toThrow('too late');
  expect(timeout).toHaveBeenCalledWith(5000);
  timeout.mockRestore();
});

test('requestToken fails without TOKEN_URL', async () => {
  delete process.env['TOKEN_URL'];
  await expect(ask()).rejects.toThrow('TOKEN_URL is not set');
});
