import { JwtVerifier } from 'aws-jwt-verify';
import type { Jwks } from 'aws-jwt-verify/jwk';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { limitedQuotas } from '../limited-quotas';
import { basic, form, scope, startUserPool, type UserPool } from './user-pool-fixture';

let pool: UserPool;
beforeAll(async () => (pool = await startUserPool()));
afterAll(() => pool.end());

describe('Token endpoint', () => {
  test('issues a token for credentials in the form, with all scopes of the client', async () => {
    const { ClientId, fields } = await pool.createClient();
    const { status, headers, body } = await pool.requestToken(fields);
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual({ access_token: expect.any(String) as string, expires_in: 3600, token_type: 'Bearer' });
    const claims = decodeJwt(String(body['access_token']));
    expect(claims).toEqual({
      sub: ClientId,
      client_id: ClientId,
      token_use: 'access',
      scope: `${scope('command:read')} ${scope('command:create')}`,
      iss: `${pool.cognito.url}/${pool.UserPoolId}`,
      version: 2,
      auth_time: claims.iat,
      iat: expect.any(Number) as number,
      exp: (claims.iat ?? 0) + 3600,
      jti: expect.any(String) as string,
    });
  });

  test('issues a token for HTTP Basic credentials and fewer scopes', async () => {
    const { ClientId, ClientSecret } = await pool.createClient();
    const { body } = await pool.requestToken({ scope: scope('command:read') }, basic(ClientId, ClientSecret));
    expect(decodeJwt(String(body['access_token'])).scope).toBe(scope('command:read'));
  });

  test('uses the token lifetime of the client', async () => {
    const { fields } = await pool.createClient({
      AccessTokenValidity: 5,
      TokenValidityUnits: { AccessToken: 'minutes' },
    });
    expect((await pool.requestToken(fields)).body['expires_in']).toBe(300);
  });

  test('uses the token lifetime of the option before that of the client', async () => {
    const { fields } = await pool.createClient({ AccessTokenValidity: 1 });
    const shortLived = await pool.start({ tokenLifetime: 120 });
    const { body } = await pool.requestToken(fields, {}, shortLived);
    await shortLived.stop?.();
    const { iat = 0, exp } = decodeJwt(String(body['access_token']));
    expect({ expiresIn: body['expires_in'], exp }).toEqual({ expiresIn: 120, exp: iat + 120 });
  });

  test('signs tokens with a published key', async () => {
    const { fields } = await pool.createClient();
    const token = String((await pool.requestToken(fields)).body['access_token']);
    const verifier = JwtVerifier.create({ issuer: `${pool.cognito.url}/${pool.UserPoolId}`, audience: null });
    verifier.cacheJwks((await pool.send(`/${pool.UserPoolId}/.well-known/jwks.json`)).body as unknown as Jwks);
    expect(decodeProtectedHeader(token).alg).toBe('RS256');
    expect(await verifier.verify(token)).toMatchObject({ token_use: 'access' });
  });

  test('keeps key and clients after a restart, in files that only their owner can read', async () => {
    const { fields } = await pool.createClient();
    const keys = await pool.send(`/${pool.UserPoolId}/.well-known/jwks.json`);
    const restarted = await pool.start();
    const keysAgain = await pool.send(`/${pool.UserPoolId}/.well-known/jwks.json`, 'GET', {}, '', restarted);
    const { status } = await pool.requestToken(fields, {}, restarted);
    await restarted.stop?.();
    expect(keysAgain.body).toEqual(keys.body);
    expect(status).toBe(200);
    const modes = ['token-key.json', 'app-clients.json'].map((file) => statSync(join(pool.folder, file)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600]);
  });

  test('publishes its key set in the discovery document', async () => {
    const issuer = `${pool.cognito.url}/${pool.UserPoolId}`;
    const { body } = await pool.send(`/${pool.UserPoolId}/.well-known/openid-configuration`);
    expect(body).toMatchObject({ issuer, jwks_uri: `${issuer}/.well-known/jwks.json` });
  });
});

describe('Token request', () => {
  let fields: { client_id: string; client_secret: string };

  beforeAll(async () => {
    ({ fields } = await pool.createClient());
  });

  test.each([
    ['an unknown client', () => pool.requestToken({ ...fields, client_id: 'unknown' }), 'invalid_client'],
    ['a wrong secret', () => pool.requestToken({ ...fields, client_secret: 'wrong' }), 'invalid_client'],
    ['no secret', () => pool.requestToken({ client_id: fields.client_id }), 'invalid_client'],
    ['no client', () => pool.requestToken({}), 'invalid_request'],
    ['credentials of two clients', () => pool.requestToken(fields, basic('other', 'secret')), 'invalid_request'],
    ['no grant type', () => pool.requestToken({ ...fields, grant_type: '' }), 'invalid_request'],
    ['another grant type', () => pool.requestToken({ ...fields, grant_type: 'password' }), 'unsupported_grant_type'],
    ['an unknown scope', () => pool.requestToken({ ...fields, scope: scope('command:fly') }), 'invalid_scope'],
    ['JSON', () => pool.requestToken(fields, { 'content-type': 'application/json' }), 'invalid_request'],
  ] as const)('for %s', async (_what, call, error) => {
    expect(await call()).toMatchObject({ status: 400, body: { error } });
  });

  test('is refused for a client that may not use the flow', async () => {
    const other = await pool.createClient({
      AllowedOAuthFlowsUserPoolClient: false,
      AllowedOAuthFlows: [],
      AllowedOAuthScopes: [],
    });
    expect(await pool.requestToken(other.fields)).toMatchObject({
      status: 400,
      body: { error: 'unauthorized_client' },
    });
  });

  test.each(['/partners/oauth2/authorize', '/others/oauth2/token', '/', '/partners'])('at %s', async (path) => {
    expect((await pool.send(path, 'POST', form, 'grant_type=client_credentials')).status).toBe(404);
  });

  test('is refused with 405 for a GET', async () => {
    expect((await pool.send('/partners/oauth2/token')).status).toBe(405);
  });
});

test('the token endpoint answers 429 beyond the quota of the account', async () => {
  const throttled = await pool.start({ quotas: limitedQuotas({ cognitoClientTokens: 0 }) });
  const { status } = await pool.requestToken({ client_id: 'a', client_secret: 'b' }, {}, throttled);
  await throttled.stop?.();
  expect(status).toBe(429);
});
