import {
  AddUserPoolClientSecretCommand,
  CognitoIdentityProviderClient,
  CreateUserPoolClientCommand,
  DeleteUserPoolClientCommand,
  DeleteUserPoolClientSecretCommand,
  DescribeUserPoolClientCommand,
  ListUserPoolClientsCommand,
  ListUserPoolClientSecretsCommand,
  UpdateUserPoolClientCommand,
  type CreateUserPoolClientCommandInput,
} from '@aws-sdk/client-cognito-identity-provider';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { JwtVerifier } from 'aws-jwt-verify';
import type { Jwks } from 'aws-jwt-verify/jwk';
import { createAwsEndpoint } from '../aws-endpoint';
import { createCognito, type Cognito, type CognitoOptions } from '../cognito';
import { serverCertificate } from '../stack/certificate-authority';
import { migrateScopes } from '../cognito/app-clients';
import { limitedQuotas } from './limited-quotas';

const resourceServer = 'http://127.0.0.1:3000';
const scope = (name: string) => `${resourceServer}/${name}`;

const form = { 'content-type': 'application/x-www-form-urlencoded' };

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Record<string, unknown>;
}

type UserPool = Awaited<ReturnType<typeof startUserPool>>;

/** A user pool with the domain `partners` and a resource server, and a client of Cognito's API. */
async function startUserPool() {
  const folder = mkdtempSync(join(tmpdir(), 'cognito-'));
  const certificate = await serverCertificate(folder);
  const endpoint = createAwsEndpoint();
  let UserPoolId = '';

  /** Starts Cognito on the data folder of the pool. */
  async function start(more: Partial<CognitoOptions> = {}): Promise<Cognito> {
    const started = createCognito({
      region: 'eu-central-1',
      accountId: '123456789012',
      port: 0,
      dataFolder: folder,
      certificate,
      ...more,
    });
    const make = (type: string, properties: Record<string, unknown>) =>
      started.create({ type: `AWS::Cognito::${type}`, logicalId: type, properties, metadata: {} });
    UserPoolId = (await make('UserPool', {})).ref;
    await make('UserPoolDomain', { UserPoolId, Domain: 'partners' });
    const Scopes = [{ ScopeName: 'command:read' }, { ScopeName: 'command:create' }];
    await make('UserPoolResourceServer', { UserPoolId, Identifier: resourceServer, Scopes });
    await started.start?.();
    return started;
  }

  const cognito = await start();
  endpoint.add(cognito);
  await endpoint.start();
  const client = new CognitoIdentityProviderClient({
    endpoint: endpoint.url,
    region: 'eu-central-1',
    credentials: endpoint.admin,
  });

  /** Sends an HTTPS request to Cognito, by default to the one started first. */
  function send(
    path: string,
    method = 'GET',
    headers: Record<string, string> = {},
    body = '',
    to = cognito,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const ca = readFileSync(certificate.caFile);
      const call = request(`${to.url}${path}`, { method, headers, ca, agent: false }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, body: JSON.parse(text) as Answer['body'] }),
        );
      });
      call.on('error', reject);
      call.end(body);
    });
  }

  return {
    folder,
    endpoint,
    cognito,
    client,
    start,
    send,
    UserPoolId,

    requestToken(fields: Record<string, string>, headers: Record<string, string> = {}, to = cognito) {
      const body = new URLSearchParams({ grant_type: 'client_credentials', ...fields }).toString();
      return send('/partners/oauth2/token', 'POST', { ...form, ...headers }, body, to);
    },

    async createClient(changes: Partial<CreateUserPoolClientCommandInput> = {}) {
      const { UserPoolClient } = await client.send(
        new CreateUserPoolClientCommand({
          UserPoolId,
          ClientName: 'partner',
          GenerateSecret: true,
          AllowedOAuthFlowsUserPoolClient: true,
          AllowedOAuthFlows: ['client_credentials'],
          AllowedOAuthScopes: [scope('command:read'), scope('command:create')],
          ...changes,
        }),
      );
      const { ClientId = '', ClientSecret = '' } = UserPoolClient ?? {};
      return { ClientId, ClientSecret, fields: { client_id: ClientId, client_secret: ClientSecret } };
    },

    async end() {
      client.destroy();
      await endpoint.stop();
      await cognito.stop?.();
      rmSync(folder, { recursive: true });
    },
  };
}

let pool: UserPool;
beforeAll(async () => (pool = await startUserPool()));
afterAll(() => pool.end());

describe('App client', () => {
  test('is described, listed, updated and deleted', async () => {
    const { ClientId, ClientSecret, fields } = await pool.createClient({ ClientName: 'changing' });
    const described = await pool.client.send(
      new DescribeUserPoolClientCommand({ UserPoolId: pool.UserPoolId, ClientId }),
    );
    expect(described.UserPoolClient).toMatchObject({
      ClientName: 'changing',
      ClientSecret,
      CreationDate: expect.any(Date) as Date,
    });
    const { UserPoolClients = [] } = await pool.client.send(
      new ListUserPoolClientsCommand({ UserPoolId: pool.UserPoolId }),
    );
    expect(UserPoolClients).toContainEqual({ ClientId, UserPoolId: pool.UserPoolId, ClientName: 'changing' });
    await pool.client.send(
      new UpdateUserPoolClientCommand({
        UserPoolId: pool.UserPoolId,
        ClientId,
        AllowedOAuthFlowsUserPoolClient: true,
        AllowedOAuthFlows: ['client_credentials'],
        AllowedOAuthScopes: [scope('command:read')],
      }),
    );
    expect(decodeJwt(String((await pool.requestToken(fields)).body['access_token'])).scope).toBe(scope('command:read'));
    await pool.client.send(new DeleteUserPoolClientCommand({ UserPoolId: pool.UserPoolId, ClientId }));
    expect((await pool.requestToken(fields)).body).toEqual({ error: 'invalid_client' });
    await expect(
      pool.client.send(new DescribeUserPoolClientCommand({ UserPoolId: pool.UserPoolId, ClientId })),
    ).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });

  test('has two secrets during a rotation', async () => {
    const { ClientId, fields } = await pool.createClient();
    const added = await pool.client.send(new AddUserPoolClientSecretCommand({ UserPoolId: pool.UserPoolId, ClientId }));
    const next = { ...fields, client_secret: added.ClientSecretDescriptor?.ClientSecretValue ?? '' };
    expect([(await pool.requestToken(fields)).status, (await pool.requestToken(next)).status]).toEqual([200, 200]);
    await expect(
      pool.client.send(new AddUserPoolClientSecretCommand({ UserPoolId: pool.UserPoolId, ClientId })),
    ).rejects.toMatchObject({
      name: 'LimitExceededException',
    });
    const { ClientSecrets = [] } = await pool.client.send(
      new ListUserPoolClientSecretsCommand({ UserPoolId: pool.UserPoolId, ClientId }),
    );
    expect(ClientSecrets.map(({ ClientSecretValue }) => ClientSecretValue)).toEqual([undefined, undefined]);
    const [old] = ClientSecrets;
    const ClientSecretId = old?.ClientSecretId;
    await pool.client.send(
      new DeleteUserPoolClientSecretCommand({ UserPoolId: pool.UserPoolId, ClientId, ClientSecretId }),
    );
    expect([(await pool.requestToken(fields)).status, (await pool.requestToken(next)).status]).toEqual([400, 200]);
    const last = added.ClientSecretDescriptor?.ClientSecretId;
    await expect(
      pool.client.send(
        new DeleteUserPoolClientSecretCommand({ UserPoolId: pool.UserPoolId, ClientId, ClientSecretId: last }),
      ),
    ).rejects.toMatchObject({ name: 'InvalidParameterException' });
  });

  test.each([
    ['an unknown scope', { AllowedOAuthScopes: [scope('command:fly')] }, 'ScopeDoesNotExistException'],
    ['no scope', { AllowedOAuthScopes: [] }, 'InvalidParameterException'],
    ['no secret', { GenerateSecret: false }, 'InvalidOAuthFlowException'],
    [
      'another flow beside client credentials',
      { AllowedOAuthFlows: ['client_credentials', 'code'] },
      'InvalidOAuthFlowException',
    ],
    ['an unknown pool', { UserPoolId: 'eu-central-1_nothing' }, 'ResourceNotFoundException'],
  ] as const)('is not created with %s', async (_what, changes, name) => {
    await expect(pool.createClient(changes as Partial<CreateUserPoolClientCommandInput>)).rejects.toMatchObject({
      name,
    });
  });

  test('keeps id and secret when it is from the template', async () => {
    const properties = {
      UserPoolId: pool.UserPoolId,
      GenerateSecret: true,
      AllowedOAuthFlowsUserPoolClient: true,
      AllowedOAuthFlows: ['client_credentials'],
      AllowedOAuthScopes: [scope('command:read')],
    };
    const resource = { type: 'AWS::Cognito::UserPoolClient', logicalId: 'Declared', properties, metadata: {} };
    const first = await pool.cognito.create(resource);
    expect(await pool.cognito.create(resource)).toEqual(first);
    const { ClientId = '', ClientSecret = '' } = first.attributes ?? {};
    expect((await pool.requestToken({ client_id: ClientId, client_secret: ClientSecret })).status).toBe(200);
  });

  test('is managed only with IAM permission', async () => {
    const Resource = [`arn:aws:cognito-idp:eu-central-1:123456789012:userpool/${pool.UserPoolId}`];
    const credentials = pool.endpoint.register('reader', () => [
      { Statement: [{ Effect: 'Allow', Action: ['cognito-idp:ListUserPoolClients'], Resource, Condition: {} }] },
    ]);
    const reader = new CognitoIdentityProviderClient({
      endpoint: pool.endpoint.url,
      region: 'eu-central-1',
      credentials,
    });
    const listed = await reader.send(new ListUserPoolClientsCommand({ UserPoolId: pool.UserPoolId }));
    expect(listed.UserPoolClients).toEqual(expect.any(Array));
    await expect(
      reader.send(new DescribeUserPoolClientCommand({ UserPoolId: pool.UserPoolId, ClientId: 'x' })),
    ).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
    reader.destroy();
  });
});

describe('Base URL of the API', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'migrate-scopes-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('replaces the old one in the scopes of stored clients', () => {
    const clients = join(folder, 'app-clients.json');
    migrateScopes(folder, 'http://127.0.0.1:3000');
    writeFileSync(clients, '["http://127.0.0.1:3000/command:read"]');
    migrateScopes(folder, 'http://127.0.0.1:3000');
    expect(readFileSync(clients, 'utf8')).toBe('["http://127.0.0.1:3000/command:read"]');
    migrateScopes(folder, 'http://127.0.0.1:4000');
    expect(readFileSync(clients, 'utf8')).toBe('["http://127.0.0.1:4000/command:read"]');
  });
});

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
