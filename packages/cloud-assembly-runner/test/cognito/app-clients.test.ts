import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AddUserPoolClientSecretCommand,
  CognitoIdentityProviderClient,
  DeleteUserPoolClientCommand,
  DeleteUserPoolClientSecretCommand,
  DescribeUserPoolClientCommand,
  ListUserPoolClientsCommand,
  ListUserPoolClientSecretsCommand,
  UpdateUserPoolClientCommand,
  type CreateUserPoolClientCommandInput,
} from '@aws-sdk/client-cognito-identity-provider';
import { decodeJwt } from 'jose';
import { scope, startUserPool, type UserPool } from './user-pool-fixture';
import { migrateScopes } from '../../cognito/app-clients';

describe('App client', () => {
  let pool: UserPool;
  beforeAll(async () => (pool = await startUserPool()));
  afterAll(() => pool.end());

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
