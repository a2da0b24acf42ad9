import { decodeJwt } from 'jose';
import * as z from 'zod';
import { scopes } from '../../contract/terms/scopes';
import { until } from '../channels/until';
import { clients, send, type Answer } from './client';
import { runPartnerCommand } from './stack/aws-access';

describe('POST /v3/auth/token', () => {
  const [partner, colleague = partner, reader = partner] = clients('auth');
  const [stranger] = clients('stranger');
  const { clientId: client_id, clientSecret: client_secret, apiKey } = partner.credentials;
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const good = { grant_type: 'client_credentials', client_id, client_secret };

  const ask = (body?: unknown, headers: Record<string, string> = {}) =>
    send('POST', '/v3/auth/token', {
      headers: { 'x-api-key': apiKey, ...headers },
      ...(body !== undefined && { body }),
    });
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
  });

  const token = {
    access_token: expect.any(String) as string,
    token_type: 'Bearer',
    expires_in: 3600,
    scope: expect.any(String) as string,
  };
  const refusal = (error: string) => ({ error, error_description: expect.any(String) as string });

  test('issues a bearer token for an hour, in an answer that may not be cached', async () => {
    const { status, headers, body } = await ask(good);
    expect([status, body]).toEqual([200, token]);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('issues a JWT with exactly the scopes of the client, under the resource server', async () => {
    const { access_token } = (await ask(good)).body as typeof token;
    const { iat = 0, ...claims } = decodeJwt(access_token);
    expect(claims).toMatchObject({ sub: client_id, client_id, token_use: 'access', exp: iat + 3600 });
    const held = String(claims['scope']).split(' ');
    const [first = ''] = held;
    const resourceServer = first.slice(0, first.lastIndexOf('/'));
    expect(resourceServer).toMatch(/^https?:\/\//);
    expect(held.sort()).toEqual(scopes.map((scope) => `${resourceServer}/${scope}`).sort());
    expect(claims).not.toHaveProperty('aud');
  });

  test('issues a client with one scope a token with that scope only', async () => {
    const { scope } = decodeJwt(await reader.newToken());
    expect(scope).toMatch(/^\S+\/command:read$/);
  });

  test('accepts a form as well as JSON', async () => {
    const { status, body } = await ask(new URLSearchParams(good).toString(), form);
    expect([status, body]).toEqual([200, token]);
  });

  test('accepts the credentials by HTTP Basic, with a form and with JSON', async () => {
    const headers = basic(client_id, client_secret);
    expect(await ask('grant_type=client_credentials', { ...form, ...headers })).toMatchObject({
      status: 200,
      body: token,
    });
    expect(await ask({ grant_type: 'client_credentials' }, headers)).toMatchObject({ status: 200, body: token });
  });

  test.each([{}, { scope: 'command:read' }, { scope: 'fly' }, { scope: '', audience: 'x' }])(
    'ignores unknown fields, such as a requested scope, and says all that the token carries: %j',
    async (asked) => {
      const { status, body } = await ask({ ...good, ...asked });
      expect([status, body]).toEqual([200, token]);
      const { access_token, scope } = body as typeof token;
      const carried = String(decodeJwt(access_token)['scope']).split(' ');
      expect(scope.split(' ').sort()).toEqual([...scopes].sort());
      expect(scope.split(' ')).toEqual(carried.map((name) => name.slice(name.lastIndexOf('/') + 1)));
    },
  );

  test.each([
    ['no body', undefined],
    ['an empty body', ''],
    ['malformed JSON', '{"grant_type":'],
    ['JSON that is no object', '[]'],
    ['JSON null', 'null'],
    ['no grant_type', { client_id, client_secret }],
    ['no client_id', { grant_type: 'client_credentials', client_secret }],
    ['no client_secret', { grant_type: 'client_credentials', client_id }],
    ['an empty client_secret', { ...good, client_secret: '' }],
    ['a client_id with a lone surrogate', { ...good, client_id: '\ud800' }],
    ['a client_id that is over-long', { ...good, client_id: 'x'.repeat(5000) }],
    ['a client_secret that is over-long', { ...good, client_secret: 'x'.repeat(5000) }],
    ['a client_id that is a number', { ...good, client_id: 7 }],
  ])('answers 400 invalid_request to %s', async (_, body) => {
    const answer = await ask(body);
    expect([answer.status, answer.body]).toEqual([400, refusal('invalid_request')]);
  });

  test('answers 400 invalid_request to a form with a parameter that is given twice', async () => {
    const expected = { status: 400, body: refusal('invalid_request') };
    expect(await ask(`${new URLSearchParams(good).toString()}&client_id=x`, form)).toMatchObject(expected);
  });

  test('answers 400 invalid_request to credentials in two places, and to invalid Basic credentials', async () => {
    const expected = { status: 400, body: refusal('invalid_request') };
    expect(await ask(good, basic(client_id, client_secret))).toMatchObject(expected);
    expect(await ask({ grant_type: 'client_credentials' }, { authorization: 'Basic %%%' })).toMatchObject(expected);
    expect(await ask({ grant_type: 'client_credentials' }, { authorization: 'Basic JTk6JTk=' })).toMatchObject(
      expected,
    );
  });

  test.each(['authorization_code', 'password', 'CLIENT_CREDENTIALS', ''])(
    'answers 400 unsupported_grant_type to the grant type "%s"',
    async (grant_type) => {
      const { status, body } = await ask({ ...good, grant_type });
      expect([status, body]).toEqual([400, refusal('unsupported_grant_type')]);
    },
  );

  test.each([
    ['a wrong secret', { ...good, client_secret: `${client_secret}x` }],
    ['an unknown client', { ...good, client_id: 'nobody' }],
    ["an organisation's name for a client id", { ...good, client_id: partner.credentials.organisationId }],
    ["another client's secret", { ...good, client_secret: stranger.credentials.clientSecret }],
  ])('answers 401 invalid_client to %s', async (_, body) => {
    const answer = await ask(body);
    expect([answer.status, answer.body]).toEqual([401, refusal('invalid_client')]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('answers 403 without an API key and with an unknown one', async () => {
    const body = { error: 'Forbidden', error_description: 'x-api-key: is missing or unknown' };
    const forbidden = { status: 403, body };
    expect(await send('POST', '/v3/auth/token', { body: good })).toMatchObject(forbidden);
    expect(await ask(good, { 'x-api-key': 'nobodys' })).toMatchObject(forbidden);
    expect(await ask(good, { 'x-api-key': '' })).toMatchObject(forbidden);
    expect(await send('POST', '/v3/auth/token', { body: '{' })).toMatchObject(forbidden);
  });

  test("answers 403 to another partner's API key, whichever of the organisation's clients it is", async () => {
    for (const other of [stranger, colleague]) {
      const { status, body } = await ask(good, { 'x-api-key': other.credentials.apiKey });
      expect([status, body]).toEqual([
        403,
        {
          error: 'Forbidden',
          error_description: "x-api-key: is not this client's, or the client is suspended",
        },
      ]);
    }
  });

  test('answers 429 to requests above the usage plan of an API key', async () => {
    const [eager] = clients('throttled');
    const body = { grant_type: 'password' };
    const answers: Answer[] = [];
    // The bucket refills while they are sent, on a slow machine as fast as they are.
    const refused = await until('a refusal', async () => {
      const asked = Array.from({ length: 300 }, () => ask(body, { 'x-api-key': eager.credentials.apiKey }));
      answers.push(...(await Promise.all(asked)));
      const found = answers.filter(({ status }) => status === 429);
      return found.length > 0 ? found : undefined;
    });
    expect(answers.filter(({ status }) => status === 400).length).toBeGreaterThanOrEqual(100);
    expect(refused.every((answer) => JSON.stringify(answer.body) === '{"error":"Too many requests"}')).toBe(true);
  });
});

describe('An API key', () => {
  const [partner] = clients('key-rotation');
  const { clientId, clientSecret, apiKey } = partner.credentials;
  const added = z.object({ apiKey: z.string() });

  const statusWith = async (key: string) => {
    const body = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    return (await send('POST', '/v3/auth/token', { headers: { 'x-api-key': key }, body })).status;
  };

  test('a rotated API key opens the token endpoint beside the old one, until the old one is deleted', async () => {
    const printed = await runPartnerCommand('rotate-key', '--client-id', clientId);
    const { apiKey: newKey } = added.parse(JSON.parse(printed));
    expect([await statusWith(apiKey), await statusWith(newKey)]).toEqual([200, 200]);
    await runPartnerCommand('rotate-key', '--client-id', clientId, '--retire-old');
    expect([await statusWith(apiKey), await statusWith(newKey)]).toEqual([403, 200]);
  });
});
