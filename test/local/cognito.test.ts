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
import { JwtVerifier } from 'aws-jwt-verify';
import type { Jwks } from 'aws-jwt-verify/jwk';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAwsEndpoint } from '../../local/aws-endpoint';
import { serverCertificate, type ServerCertificate } from '../../local/certificate-authority';
import { createCognito, type Cognito, type CognitoOptions } from '../../local/cognito';
import { stingy } from './stingy';

const folder = mkdtempSync(join(tmpdir(), 'cognito-'));
const endpoint = createAwsEndpoint();
const resourceServer = 'http://127.0.0.1:3000';
const scope = (name: string) => `${resourceServer}/${name}`;
let certificate: ServerCertificate;
let cognito: Cognito;
let UserPoolId: string;
let client: CognitoIdentityProviderClient;

beforeAll(async () => {
  certificate = await serverCertificate(folder);
  cognito = await start();
  endpoint.add(cognito);
  await endpoint.start();
  client = new CognitoIdentityProviderClient({
    endpoint: endpoint.url,
    region: 'eu-central-1',
    credentials: endpoint.admin,
  });
});

afterAll(async () => {
  client.destroy();
  await endpoint.stop();
  await cognito.stop?.();
  rmSync(folder, { recursive: true });
});

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

interface Answer {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Record<string, unknown>;
}

function ask(path: string, method = 'GET', headers: Record<string, string> = {}, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const ca = readFileSync(certificate.caFile);
    const call = request(`${cognito.url}${path}`, { method, headers, ca, agent: false }, (response) => {
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

const form = { 'content-type': 'application/x-www-form-urlencoded' };

function askToken(fields: Record<string, string>, headers: Record<string, string> = {}) {
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...fields }).toString();
  return ask('/partners/oauth2/token', 'POST', { ...form, ...headers }, body);
}

async function newClient(changes: Partial<CreateUserPoolClientCommandInput> = {}) {
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
}

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

describe('a token', () => {
  it('is given for the credentials in the form, with all scopes of the client', async () => {
    const { ClientId, fields } = await newClient();
    const { status, headers, body } = await askToken(fields);
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual({ access_token: expect.any(String) as string, expires_in: 3600, token_type: 'Bearer' });
    const claims = decodeJwt(String(body['access_token']));
    expect(claims).toEqual({
      sub: ClientId,
      client_id: ClientId,
      token_use: 'access',
      scope: `${scope('command:read')} ${scope('command:create')}`,
      iss: `${cognito.url}/${UserPoolId}`,
      version: 2,
      auth_time: claims.iat,
      iat: expect.any(Number) as number,
      exp: (claims.iat ?? 0) + 3600,
      jti: expect.any(String) as string,
    });
  });

  it('is given for HTTP Basic credentials and fewer scopes', async () => {
    const { ClientId, ClientSecret } = await newClient();
    const { body } = await askToken({ scope: scope('command:read') }, basic(ClientId, ClientSecret));
    expect(decodeJwt(String(body['access_token'])).scope).toBe(scope('command:read'));
  });

  it('lives as long as the client says', async () => {
    const { fields } = await newClient({ AccessTokenValidity: 5, TokenValidityUnits: { AccessToken: 'minutes' } });
    expect((await askToken(fields)).body['expires_in']).toBe(300);
  });

  it('is verified with the published keys', async () => {
    const { fields } = await newClient();
    const token = String((await askToken(fields)).body['access_token']);
    const verifier = JwtVerifier.create({ issuer: `${cognito.url}/${UserPoolId}`, audience: null });
    verifier.cacheJwks((await ask(`/${UserPoolId}/.well-known/jwks.json`)).body as unknown as Jwks);
    expect(decodeProtectedHeader(token).alg).toBe('RS256');
    expect(await verifier.verify(token)).toMatchObject({ token_use: 'access' });
  });

  it('outlives a restart, as the clients do, in files that only their owner can read', async () => {
    const { fields } = await newClient();
    const keys = await ask(`/${UserPoolId}/.well-known/jwks.json`);
    const first = cognito;
    cognito = await start();
    const keysAgain = await ask(`/${UserPoolId}/.well-known/jwks.json`);
    const { status } = await askToken(fields);
    await cognito.stop?.();
    cognito = first;
    expect(keysAgain.body).toEqual(keys.body);
    expect(status).toBe(200);
    const modes = ['token-key.json', 'app-clients.json'].map((file) => statSync(join(folder, file)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600]);
  });

  it('has its keys named by the discovery document', async () => {
    const issuer = `${cognito.url}/${UserPoolId}`;
    const { body } = await ask(`/${UserPoolId}/.well-known/openid-configuration`);
    expect(body).toMatchObject({ issuer, jwks_uri: `${issuer}/.well-known/jwks.json` });
  });
});

describe('no token is given', () => {
  let fields: { client_id: string; client_secret: string };

  beforeAll(async () => {
    ({ fields } = await newClient());
  });

  it.each([
    ['an unknown client', () => askToken({ ...fields, client_id: 'unknown' }), 'invalid_client'],
    ['a wrong secret', () => askToken({ ...fields, client_secret: 'wrong' }), 'invalid_client'],
    ['no secret', () => askToken({ client_id: fields.client_id }), 'invalid_client'],
    ['no client', () => askToken({}), 'invalid_request'],
    ['two clients', () => askToken(fields, basic('other', 'secret')), 'invalid_request'],
    ['no grant type', () => askToken({ ...fields, grant_type: '' }), 'invalid_request'],
    ['another grant type', () => askToken({ ...fields, grant_type: 'password' }), 'unsupported_grant_type'],
    ['an unknown scope', () => askToken({ ...fields, scope: scope('command:fly') }), 'invalid_scope'],
    ['JSON', () => askToken(fields, { 'content-type': 'application/json' }), 'invalid_request'],
  ] as const)('for %s', async (_what, call, error) => {
    expect(await call()).toMatchObject({ status: 400, body: { error } });
  });

  it('for a client that may not use the flow', async () => {
    const other = await newClient({
      AllowedOAuthFlowsUserPoolClient: false,
      AllowedOAuthFlows: [],
      AllowedOAuthScopes: [],
    });
    expect(await askToken(other.fields)).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } });
  });

  it.each(['/partners/oauth2/authorize', '/others/oauth2/token', '/', '/partners'])('at %s', async (path) => {
    expect((await ask(path, 'POST', form, 'grant_type=client_credentials')).status).toBe(404);
  });

  it('for a GET', async () => {
    expect((await ask('/partners/oauth2/token')).status).toBe(405);
  });
});

describe('an app client', () => {
  it('is described, listed, changed and deleted', async () => {
    const { ClientId, ClientSecret, fields } = await newClient({ ClientName: 'changing' });
    const described = await client.send(new DescribeUserPoolClientCommand({ UserPoolId, ClientId }));
    expect(described.UserPoolClient).toMatchObject({
      ClientName: 'changing',
      ClientSecret,
      CreationDate: expect.any(Date) as Date,
    });
    const { UserPoolClients = [] } = await client.send(new ListUserPoolClientsCommand({ UserPoolId }));
    expect(UserPoolClients).toContainEqual({ ClientId, UserPoolId, ClientName: 'changing' });
    await client.send(
      new UpdateUserPoolClientCommand({
        UserPoolId,
        ClientId,
        AllowedOAuthFlowsUserPoolClient: true,
        AllowedOAuthFlows: ['client_credentials'],
        AllowedOAuthScopes: [scope('command:read')],
      }),
    );
    expect(decodeJwt(String((await askToken(fields)).body['access_token'])).scope).toBe(scope('command:read'));
    await client.send(new DeleteUserPoolClientCommand({ UserPoolId, ClientId }));
    expect((await askToken(fields)).body).toEqual({ error: 'invalid_client' });
    await expect(client.send(new DescribeUserPoolClientCommand({ UserPoolId, ClientId }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });

  it('has two secrets while one takes the place of the other', async () => {
    const { ClientId, fields } = await newClient();
    const added = await client.send(new AddUserPoolClientSecretCommand({ UserPoolId, ClientId }));
    const next = { ...fields, client_secret: added.ClientSecretDescriptor?.ClientSecretValue ?? '' };
    expect([(await askToken(fields)).status, (await askToken(next)).status]).toEqual([200, 200]);
    await expect(client.send(new AddUserPoolClientSecretCommand({ UserPoolId, ClientId }))).rejects.toMatchObject({
      name: 'LimitExceededException',
    });
    const { ClientSecrets = [] } = await client.send(new ListUserPoolClientSecretsCommand({ UserPoolId, ClientId }));
    expect(ClientSecrets.map(({ ClientSecretValue }) => ClientSecretValue)).toEqual([undefined, undefined]);
    const [old] = ClientSecrets;
    const ClientSecretId = old?.ClientSecretId;
    await client.send(new DeleteUserPoolClientSecretCommand({ UserPoolId, ClientId, ClientSecretId }));
    expect([(await askToken(fields)).status, (await askToken(next)).status]).toEqual([400, 200]);
    const last = added.ClientSecretDescriptor?.ClientSecretId;
    await expect(
      client.send(new DeleteUserPoolClientSecretCommand({ UserPoolId, ClientId, ClientSecretId: last })),
    ).rejects.toMatchObject({ name: 'InvalidParameterException' });
  });

  it.each([
    [
      'a scope that no resource server has',
      { AllowedOAuthScopes: [scope('command:fly')] },
      'ScopeDoesNotExistException',
    ],
    ['no scope', { AllowedOAuthScopes: [] }, 'InvalidParameterException'],
    ['no secret', { GenerateSecret: false }, 'InvalidOAuthFlowException'],
    ['another flow beside it', { AllowedOAuthFlows: ['client_credentials', 'code'] }, 'InvalidOAuthFlowException'],
    ['an unknown pool', { UserPoolId: 'eu-central-1_nothing' }, 'ResourceNotFoundException'],
  ] as const)('is not made with %s', async (_what, changes, name) => {
    await expect(newClient(changes as Partial<CreateUserPoolClientCommandInput>)).rejects.toMatchObject({ name });
  });

  it('of the template keeps its id and secret', async () => {
    const properties = {
      UserPoolId,
      GenerateSecret: true,
      AllowedOAuthFlowsUserPoolClient: true,
      AllowedOAuthFlows: ['client_credentials'],
      AllowedOAuthScopes: [scope('command:read')],
    };
    const resource = { type: 'AWS::Cognito::UserPoolClient', logicalId: 'Declared', properties, metadata: {} };
    const first = await cognito.create(resource);
    expect(await cognito.create(resource)).toEqual(first);
    const { ClientId = '', ClientSecret = '' } = first.attributes ?? {};
    expect((await askToken({ client_id: ClientId, client_secret: ClientSecret })).status).toBe(200);
  });

  it('is managed only by who may', async () => {
    const Resource = [`arn:aws:cognito-idp:eu-central-1:123456789012:userpool/${UserPoolId}`];
    const credentials = endpoint.register('reader', () => [
      { Statement: [{ Effect: 'Allow', Action: ['cognito-idp:ListUserPoolClients'], Resource, Condition: {} }] },
    ]);
    const reader = new CognitoIdentityProviderClient({ endpoint: endpoint.url, region: 'eu-central-1', credentials });
    const listed = await reader.send(new ListUserPoolClientsCommand({ UserPoolId }));
    expect(listed.UserPoolClients).toEqual(expect.any(Array));
    await expect(reader.send(new DescribeUserPoolClientCommand({ UserPoolId, ClientId: 'x' }))).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
    reader.destroy();
  });
});

it('The token endpoint answers with 429 beyond the quota of the account', async () => {
  const usual = cognito;
  cognito = await start({ quotas: stingy({ cognitoClientTokens: 0 }) });
  const { status } = await askToken({ client_id: 'a', client_secret: 'b' });
  await cognito.stop?.();
  cognito = usual;
  expect(status).toBe(429);
});
