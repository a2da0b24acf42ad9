import {
  CognitoIdentityProviderClient,
  CreateUserPoolClientCommand,
  type CreateUserPoolClientCommandInput,
} from '@aws-sdk/client-cognito-identity-provider';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAwsEndpoint } from '../../aws-endpoint';
import { createCognito, type Cognito, type CognitoOptions } from '../../cognito';
import { serverCertificate } from '../../stack/certificate-authority';

const resourceServer = 'http://127.0.0.1:3000';
export const scope = (name: string) => `${resourceServer}/${name}`;

export const form = { 'content-type': 'application/x-www-form-urlencoded' };

export const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Record<string, unknown>;
}

export type UserPool = Awaited<ReturnType<typeof startUserPool>>;

/** A user pool with the domain `partners` and a resource server, and a client of Cognito's API. */
export async function startUserPool() {
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
