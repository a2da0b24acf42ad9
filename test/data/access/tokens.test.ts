import { postForm } from '../../../data/access/post-form';
import { requestToken } from '../../../data/access/tokens';
import { tokenWith } from '../../lambdas/fixtures/issuer';

jest.mock('../../../data/access/post-form');

const granted = { access_token: tokenWith('command:read', 'share:read'), token_type: 'Bearer', expires_in: 3600 };
const cognito = jest.mocked(postForm);
const answers = (status: number, body: unknown) =>
  cognito.mockResolvedValue({ status, body: typeof body === 'string' ? body : JSON.stringify(body) });
const ask = () => requestToken('client-1', 'secret-1');

beforeEach(() => {
  cognito.mockReset();
  process.env['TOKEN_URL'] = 'https://identity.test/oauth2/token';
});

test('requestToken sends the credentials in the form, without a scope, and waits for five seconds', async () => {
  answers(200, granted);
  await expect(ask()).resolves.toEqual({ ...granted, scope: 'command:read share:read' });
  const form = { grant_type: 'client_credentials', client_id: 'client-1', client_secret: 'secret-1' };
  expect(cognito.mock.calls).toEqual([['https://identity.test/oauth2/token', new URLSearchParams(form), 5000]]);
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

test.each([
  ['<html>'],
  [null],
  [{ ...granted, token_type: 'mac' }],
  [{ ...granted, access_token: undefined }],
  [{ ...granted, access_token: granted.access_token.slice(0, -60) }],
])('requestToken fails for a 200 with %j, without the token in the error', async (body) => {
  answers(200, body);
  const failure = (await ask().catch((error: unknown) => error)) as Error;
  expect(failure.name).toBe('$ZodError');
  expect(JSON.stringify([failure, failure.message, failure.stack])).not.toContain(granted.access_token);
});

test('requestToken fails when Cognito cannot be reached', async () => {
  const fault = new Error('connect ECONNREFUSED');
  cognito.mockRejectedValue(fault);
  await expect(ask()).rejects.toBe(fault);
});

test('requestToken fails without TOKEN_URL', async () => {
  delete process.env['TOKEN_URL'];
  await expect(ask()).rejects.toThrow('TOKEN_URL is not set');
});
