import { GetCommand } from '../../../../data/store/document-client';
import { handler } from '../../../../lambdas/http/auth/issue-token';
import { store } from '../../../data/fixtures/store';
import { call } from '../../fixtures/api-gateway';
import { logLines, written } from '../../fixtures/log';
import { partner } from '../../fixtures/partner';

const credentials = { client_id: 'client1', client_secret: 'kx9mhush' };
const grant = { grant_type: 'client_credentials', ...credentials };
const granted = { access_token: 'header.payload.signature', token_type: 'Bearer', expires_in: 3600 };

const asForm = { 'Content-Type': 'application/x-www-form-urlencoded' };
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const basic = (id: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});
const ask = (body: unknown, headers = {}, apiKeyId = 'key1') => call(handler, { body, headers, apiKeyId });

let cognito: jest.SpyInstance<Promise<Response>>;
const cognitoAnswers = (status: number, body: unknown) =>
  cognito.mockResolvedValue(new Response(JSON.stringify(body), { status }));

beforeEach(() => {
  process.env['TOKEN_URL'] = 'https://identity.test/oauth2/token';
  cognito = jest.spyOn(globalThis, 'fetch');
  cognitoAnswers(200, granted);
  store.on(GetCommand).resolves({ Item: partner });
});

test.each([
  ['JSON', grant, {}],
  ['JSON with more in it than is needed', { ...grant, scope: 'a', audience: 'b' }, {}],
  ['a form', form(grant), asForm],
  ['a form with its charset', form(grant), { 'content-type': 'Application/X-WWW-Form-Urlencoded; charset=UTF-8' }],
  [
    'a form with credentials by Basic',
    form({ grant_type: grant.grant_type }),
    { ...asForm, ...basic('client1', 'kx9mhush') },
  ],
  ['JSON with credentials by Basic', { grant_type: grant.grant_type }, basic('client1', 'kx9mhush')],
])('A token is given to who asks by %s, and nobody may keep the answer.', async (_, body, headers) => {
  expect(await ask(body, headers)).toMatchObject({
    status: 200,
    body: granted,
    headers: { 'Cache-Control': 'no-store', 'Content-Type': 'application/json' },
  });
  expect(sentForm()).toMatchObject({ client_id: 'client1', client_secret: 'kx9mhush' });
});

test.each([
  ['form-encoded, as RFC 6749 has them', 'a%2Bb%5Fc', 'a+b_c'],
  ['as they are, as many clients send them', 'a+b_c', 'a+b_c'],
  ['with a colon in the secret', 'a:b', 'a:b'],
])('Credentials come by Basic %s', async (_, given, secret) => {
  await ask({ grant_type: grant.grant_type }, basic('client1', given));
  expect(sentForm()).toMatchObject({ client_id: 'client1', client_secret: secret });
});

/** What Cognito was sent. */
function sentForm() {
  const [, sent] = cognito.mock.calls[0] as [string, RequestInit];
  return Object.fromEntries(sent.body as URLSearchParams);
}

const needed = 'client_id and client_secret are required';
const twoWays = expect.stringContaining('one way, not two') as string;

test.each([
  ['no body', undefined, {}, 'a JSON body is required'],
  ['a body that was cut', '{"grant', {}, 'the body is not valid JSON'],
  ['a form that is called JSON', form(grant), { 'Content-Type': 'application/json' }, 'the body is not valid JSON'],
  ['no grant type', credentials, {}, expect.stringMatching(/^grant_type: /)],
  ['an empty form', '', asForm, expect.stringMatching(/^grant_type: /)],
  ['no client', { ...grant, client_id: undefined }, {}, needed],
  ['no secret', { ...grant, client_secret: undefined }, {}, needed],
  ['an empty secret', { ...grant, client_secret: '' }, {}, needed],
  ['a secret that is a number', { ...grant, client_secret: 1 }, {}, expect.stringMatching(/^client_secret: /)],
  ['a list', [], {}, expect.stringContaining('expected object')],
  ['credentials both ways', grant, basic('client1', 'kx9mhush'), twoWays],
  ['the client both ways', { ...grant, client_secret: undefined }, basic('client1', 'x'), twoWays],
  ['the secret both ways', { ...grant, client_id: undefined }, basic('client1', 'x'), twoWays],
  [
    'Basic that can not be decoded',
    { grant_type: grant.grant_type },
    basic('%', 'x'),
    expect.stringContaining('Basic'),
  ],
  ['Basic without a secret', { grant_type: grant.grant_type }, basic('client1', ''), needed],
])('A request with %s is an invalid_request that says why.', async (_, body, headers, description) => {
  expect(await ask(body, headers)).toMatchObject({
    status: 400,
    body: { error: 'invalid_request', error_description: description as unknown },
  });
  expect(cognito).not.toHaveBeenCalled();
});

test.each(['password', 'CLIENT_CREDENTIALS', ''])('The grant type "%s" is not supported.', async (grant_type) => {
  expect(await ask({ ...grant, grant_type })).toMatchObject({
    status: 400,
    body: { error: 'unsupported_grant_type', error_description: 'grant_type must be client_credentials.' },
  });
});

const rejected = {
  status: 401,
  body: { error: 'invalid_client', error_description: 'The client credentials were rejected.' },
};

test('Credentials that Cognito rejects with 400 are a 401.', async () => {
  cognitoAnswers(400, { error: 'invalid_client' });
  expect(await ask(grant)).toMatchObject(rejected);
});

test('A client that nobody is gets the same 401, and Cognito is not asked.', async () => {
  store.on(GetCommand).resolves({});
  expect(await ask(grant)).toMatchObject(rejected);
  expect(cognito).not.toHaveBeenCalled();
});

test.each([
  ["another partner's API key", partner, 'key2'],
  ['a partner that is suspended', { ...partner, status: 'suspended' }, 'key1'],
])('%s is a 403 without a code of OAuth, and Cognito is not asked.', async (_, Item, apiKeyId) => {
  store.on(GetCommand).resolves({ Item });
  const { status, body } = await ask(grant, {}, apiKeyId);
  expect([status, body]).toEqual([403, { error: 'Forbidden' }]);
  expect(cognito).not.toHaveBeenCalled();
});

test('A request without an API key, if API Gateway ever let one through, is a 403.', async () => {
  expect(await call(handler, { body: grant })).toMatchObject({ status: 403 });
});

test("Cognito's quota is a 429.", async () => {
  cognitoAnswers(429, {});
  expect(await ask(grant)).toMatchObject({ status: 429, body: { error: 'Too many requests' } });
});

test.each([
  ['can not be reached', () => cognito.mockRejectedValue(new TypeError('fetch failed'))],
  ['fails', () => cognitoAnswers(500, {})],
  ['answers oddly', () => cognitoAnswers(200, { token: 'x' })],
])('When Cognito %s it is our fault, not the client’s: 500.', async (_, prepare) => {
  prepare();
  const { status, body } = await ask(grant);
  expect([status, body]).toEqual([500, { error: 'Internal server error', requestId: 'request-1' }]);
  expect(logLines()).toMatchObject([{ level: 'ERROR', status: 500 }]);
});

test.each([
  ['is given', 200, granted],
  ['is refused', 400, { error: 'invalid_client' }],
  ['can not be had', 503, { secret: 'kx9mhush' }],
])('Neither the secret nor the token is in the log when a token %s.', async (_, status, answer) => {
  cognitoAnswers(status, answer);
  await ask(grant);
  await ask({ grant_type: grant.grant_type }, basic('client1', 'kx9mhush'));
  expect(logLines()).toHaveLength(2);
  for (const secret of ['kx9mhush', granted.access_token, basic('client1', 'kx9mhush').Authorization.slice(6)])
    expect(written.join('')).not.toContain(secret);
});

test.each(['grant_type=client_credentials', 'client_id=client1', 'client_secret=x', 'scope=a&scope=b'])(
  'A form with a parameter given twice (%s) is refused without asking anybody (RFC 6749 section 3.2).',
  async (again) => {
    const { status, body } = await ask(`${form(grant)}&${again}`, asForm);
    const [name] = again.split('=');
    expect([status, body]).toEqual([
      400,
      { error: 'invalid_request', error_description: `${name}: must be given once` },
    ]);
    expect(cognito).not.toHaveBeenCalled();
  },
);
