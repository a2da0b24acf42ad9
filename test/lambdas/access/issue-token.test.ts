import { postForm } from '../../../data/access/post-form';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { handler } from '../../../lambdas/access/issue-token.lambda';
import { store } from '../../data/fixtures/store';
import { call } from '../fixtures/api-gateway';
import { logLines, written } from '../fixtures/log';
import { partner } from '../../domain/fixtures/samples';
import { resourceServer, tokenWith } from '../fixtures/issuer';

jest.mock('../../../data/access/post-form');

const credentials = { client_id: 'client1', client_secret: 'kx9mhush' };
const grant = { grant_type: 'client_credentials', ...credentials };
/** What Cognito answers, and this service. */
const granted = { access_token: tokenWith('command:read', 'share:read'), token_type: 'Bearer', expires_in: 3600 };
const answered = { ...granted, scope: 'command:read share:read' };

/** Asked for in each way in which the scope may be given, whatever it is. */
test.each([
  ['no scope', {}],
  ['one', { scope: 'command:read' }],
  ['one that the client does not have', { scope: 'command:control' }],
  ['one that nobody knows', { scope: 'fly' }],
  ['an empty one', { scope: '' }],
  ['one by its name under the resource server', { scope: `${resourceServer}/command:read` }],
])('says all scopes that the token carries when it is asked for %s', async (_, asked) => {
  for (const [body, headers] of [
    [{ ...grant, ...asked }, {}],
    [form({ ...grant, ...asked }), asForm],
  ] as const) {
    const { status, body: reply } = await requestToken(body, headers);
    expect([status, reply]).toEqual([200, answered]);
  }
  expect(sentForm()).not.toHaveProperty('scope');
});

test.each([
  ['one', ['command:read'], 'command:read'],
  ['one of two resource servers', ['command:read', 'https://former.test/command:read'], 'command:read'],
  ['none', [], ''],
])('says the scopes of a token that carries %s', async (_, carried, scope) => {
  cognitoAnswers(200, { ...granted, access_token: tokenWith(...carried) });
  expect((await requestToken(grant)).body).toMatchObject({ scope });
});

const asForm = { 'Content-Type': 'application/x-www-form-urlencoded' };
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const basic = (id: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});
const requestToken = (body: unknown, headers = {}, apiKeyId = 'key1') => call(handler, { body, headers, apiKeyId });

const cognito = jest.mocked(postForm);
const cognitoAnswers = (status: number, body: unknown) =>
  cognito.mockResolvedValue({ status, body: JSON.stringify(body) });

beforeEach(() => {
  process.env['TOKEN_URL'] = 'https://identity.test/oauth2/token';
  cognito.mockReset();
  cognitoAnswers(200, granted);
  store.on(GetCommand).resolves({ Item: partner });
});

test.each([
  ['JSON', grant, {}],
  ['JSON with further fields', { ...grant, scope: 'a', audience: 'b' }, {}],
  ['a form', form(grant), asForm],
  ['a form with its charset', form(grant), { 'content-type': 'Application/X-WWW-Form-Urlencoded; charset=UTF-8' }],
  [
    'a form with credentials by Basic',
    form({ grant_type: grant.grant_type }),
    { ...asForm, ...basic('client1', 'kx9mhush') },
  ],
  ['JSON with credentials by Basic', { grant_type: grant.grant_type }, basic('client1', 'kx9mhush')],
])('issues a token for %s, in an answer that may not be cached', async (_, body, headers) => {
  expect(await requestToken(body, headers)).toMatchObject({
    status: 200,
    body: answered,
    headers: { 'Cache-Control': 'no-store', 'Content-Type': 'application/json' },
  });
  expect(sentForm()).toMatchObject({ client_id: 'client1', client_secret: 'kx9mhush' });
});

test.each([
  ['form-encoded, as RFC 6749 requires', 'a%2Bb%5Fc', 'a+b_c'],
  ['unencoded, as many clients send them', 'a+b_c', 'a+b_c'],
  ['with a colon in the secret', 'a:b', 'a:b'],
])('accepts credentials by Basic %s', async (_, given, secret) => {
  await requestToken({ grant_type: grant.grant_type }, basic('client1', given));
  expect(sentForm()).toMatchObject({ client_id: 'client1', client_secret: secret });
});

/** What Cognito was sent. */
function sentForm() {
  const [, form] = cognito.mock.calls[0] ?? [];
  return Object.fromEntries(form ?? []);
}

const needed = 'client_id and client_secret are required';
const twoWays = expect.stringContaining('one way, not two') as string;

test.each([
  ['no body', undefined, {}, 'a JSON body is required'],
  ['a truncated body', '{"grant', {}, 'the body is not valid JSON'],
  [
    'a form with the content type of JSON',
    form(grant),
    { 'Content-Type': 'application/json' },
    'the body is not valid JSON',
  ],
  ['no grant type', credentials, {}, expect.stringMatching(/^grant_type: /)],
  ['an empty form', '', asForm, expect.stringMatching(/^grant_type: /)],
  ['no client', { ...grant, client_id: undefined }, {}, needed],
  ['no secret', { ...grant, client_secret: undefined }, {}, needed],
  ['an empty secret', { ...grant, client_secret: '' }, {}, needed],
  ['a secret that is a number', { ...grant, client_secret: 1 }, {}, expect.stringMatching(/^client_secret: /)],
  ['a list', [], {}, expect.stringContaining('must be an object')],
  ['credentials both ways', grant, basic('client1', 'kx9mhush'), twoWays],
  ['the client both ways', { ...grant, client_secret: undefined }, basic('client1', 'x'), twoWays],
  ['the secret both ways', { ...grant, client_id: undefined }, basic('client1', 'x'), twoWays],
  ['Basic that cannot be decoded', { grant_type: grant.grant_type }, basic('%', 'x'), expect.stringContaining('Basic')],
  ['Basic without a secret', { grant_type: grant.grant_type }, basic('client1', ''), needed],
])('answers invalid_request with a description to a request with %s', async (_, body, headers, description) => {
  expect(await requestToken(body, headers)).toMatchObject({
    status: 400,
    body: { error: 'invalid_request', error_description: description as unknown },
  });
  expect(cognito).not.toHaveBeenCalled();
});

test.each(['password', 'CLIENT_CREDENTIALS', ''])(
  'answers unsupported_grant_type to the grant type "%s"',
  async (grant_type) => {
    expect(await requestToken({ ...grant, grant_type })).toMatchObject({
      status: 400,
      body: { error: 'unsupported_grant_type', error_description: 'grant_type must be client_credentials.' },
    });
  },
);

const rejected = {
  status: 401,
  body: { error: 'invalid_client', error_description: 'The client credentials were rejected.' },
};

test('answers 401 when Cognito rejects the credentials with 400', async () => {
  cognitoAnswers(400, { error: 'invalid_client' });
  expect(await requestToken(grant)).toMatchObject(rejected);
});

test('answers the same 401 to an unknown client, without calling Cognito', async () => {
  store.on(GetCommand).resolves({});
  expect(await requestToken(grant)).toMatchObject(rejected);
  expect(cognito).not.toHaveBeenCalled();
});

const rotating = { ...partner, newApiKeyId: 'key2' };

test.each(['key1', 'key2'])('issues a token for either API key of a rotation (%s) with one read', async (apiKeyId) => {
  store.on(GetCommand).resolves({ Item: rotating });
  expect(await requestToken(grant, {}, apiKeyId)).toMatchObject({ status: 200, body: answered });
  expect(store.calls()).toHaveLength(1);
});

test.each([
  ["another partner's API key", partner, 'key2'],
  ["another partner's API key during a rotation", rotating, 'key3'],
  ['a suspended partner with its newer API key', { ...rotating, status: 'suspended' }, 'key2'],
  ['a partner that is suspended', { ...partner, status: 'suspended' }, 'key1'],
])('answers 403 with one text and no OAuth error code to %s, without calling Cognito', async (_, Item, apiKeyId) => {
  store.on(GetCommand).resolves({ Item });
  const { status, body } = await requestToken(grant, {}, apiKeyId);
  expect([status, body]).toEqual([
    403,
    { error: 'Forbidden', error_description: "x-api-key: is not this client's, or the client is suspended" },
  ]);
  expect(cognito).not.toHaveBeenCalled();
});

test('answers 403 to a request without an API key, should API Gateway pass one on', async () => {
  expect(await call(handler, { body: grant })).toMatchObject({ status: 403 });
});

test('answers 429 when the quota of Cognito is used up', async () => {
  cognitoAnswers(429, {});
  expect(await requestToken(grant)).toMatchObject({ status: 429, body: { error: 'Too many requests' } });
});

test.each([
  ['is unreachable', () => cognito.mockRejectedValue(new Error('connect ECONNREFUSED'))],
  ['fails', () => cognitoAnswers(500, {})],
  ['answers with an unknown body', () => cognitoAnswers(200, { token: 'x' })],
  ...['x', 'a.b.c', `a.${Buffer.from('null').toString('base64url')}.c`].map((access_token): [string, () => void] => [
    `answers with the token ${access_token}, which says nothing`,
    () => cognitoAnswers(200, { ...granted, access_token }),
  ]),
])('answers 500, not 401, when Cognito %s', async (_, prepare) => {
  prepare();
  const { status, body } = await requestToken(grant);
  expect([status, body]).toEqual([500, { error: 'Internal server error', requestId: 'request-1' }]);
  expect(logLines()).toMatchObject([{ level: 'ERROR', status: 500 }]);
});

test.each([
  ['is issued', 200, granted],
  ['is refused', 400, { error: 'invalid_client' }],
  ['cannot be issued', 503, { secret: 'kx9mhush' }],
])('logs neither the secret nor the token when a token %s', async (_, status, answer) => {
  cognitoAnswers(status, answer);
  await requestToken(grant);
  await requestToken({ grant_type: grant.grant_type }, basic('client1', 'kx9mhush'));
  expect(logLines()).toHaveLength(2);
  for (const secret of ['kx9mhush', granted.access_token, basic('client1', 'kx9mhush').Authorization.slice(6)])
    expect(written.join('')).not.toContain(secret);
});

test.each(['grant_type=client_credentials', 'client_id=client1', 'client_secret=x', 'scope=a&scope=b'])(
  'refuses a form with a parameter given twice (%s) without calling Cognito (RFC 6749 section 3.2)',
  async (again) => {
    const { status, body } = await requestToken(`${form(grant)}&${again}`, asForm);
    const [name] = again.split('=');
    expect([status, body]).toEqual([
      400,
      { error: 'invalid_request', error_description: `${name}: must be given once` },
    ]);
    expect(cognito).not.toHaveBeenCalled();
  },
);
