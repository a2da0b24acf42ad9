/**
 * Amazon Cognito user pools for machine-to-machine authentication: token endpoint, key set and the operations that
 * manage app clients. Each module names the AWS page that it follows.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import { CLIENTS, noMeter, type Meter } from '../billing/meter';
import { noFaults, type Faults } from '../faults';
import { physicalId } from '../cloudformation/physical-id';
import { propertiesOf } from '../cloudformation/properties';
import { KEEP_ALIVE_MS } from '../keep-alive';
import { noQuotas, type Quotas } from '../quotas';
import type { AwsApi, Created, Resource, Service } from '../service';
import { clientSettings, CognitoError, openAppClients } from './app-clients';
import { createManagement } from './management';
import { answerTokenRequest, openSigningKey, type SigningKey, type TokenReply } from './token-endpoint';

export interface CognitoOptions {
  readonly region: string;
  readonly accountId: string;
  /** 0: any free port. */
  readonly port: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Private key and certificate of the TLS server, PEM. */
  readonly certificate: { readonly key: string; readonly cert: string };
  /** Folder in which the signing key and the app clients are stored. */
  readonly dataFolder: string;
  /** Lifetime of access tokens in seconds; may be below Cognito's minimum of five minutes. Default: that of the app client. */
  readonly tokenLifetime?: number | undefined;
  /** Default: no quotas. */
  readonly quotas?: Pick<Quotas, 'admits'>;
  /** Default: no faults. */
  readonly faults?: Pick<Faults, 'isCognitoDown'>;
  /** Default: none. */
  readonly meter?: Meter;
}

export interface Cognito extends Service, AwsApi {
  /**
   * Base URL; known after `start`. Token endpoint: `/<domain>/oauth2/token`; issuer: `/<poolId>`; key set:
   * `/.well-known/jwks.json` below the issuer.
   */
  readonly url: string | undefined;
}

const userPoolProperties = z.object({});
const domainProperties = z.object({ UserPoolId: z.string(), Domain: z.string() });
const resourceServerProperties = z.object({
  UserPoolId: z.string(),
  Identifier: z.string(),
  Scopes: z.array(z.object({ ScopeName: z.string() })).default([]),
});
const clientProperties = clientSettings.extend({ UserPoolId: z.string(), GenerateSecret: z.boolean().default(false) });

interface Pool {
  readonly arn: string;
  /** `<resource server>/<scope>` */
  readonly scopes: Set<string>;
}

/** Token requests are small. */
const MAX_BODY_BYTES = 64 * 1024;

export function createCognito(options: CognitoOptions): Cognito {
  const { region, accountId, dataFolder, host = '127.0.0.1', quotas = noQuotas, faults = noFaults } = options;
  const { meter = noMeter } = options;
  const pools = new Map<string, Pool>();
  const domains = new Map<string, string>();
  const clients = openAppClients(dataFolder, (poolId) => poolOf(poolId).scopes);
  let server: Server | undefined;

  function url(): string | undefined {
    const address = server?.address() as AddressInfo | null | undefined;
    return address ? `https://${host}:${address.port}` : undefined;
  }

  const issuerOf = (poolId: string) => `${url()}/${poolId}`;

  function poolOf(poolId: string): Pool {
    const pool = pools.get(poolId);
    if (!pool) throw new CognitoError('ResourceNotFoundException', `User pool ${poolId} does not exist.`);
    return pool;
  }

  const makers: Readonly<Record<string, (resource: Resource) => Created>> = {
    'AWS::Cognito::UserPool': (resource) => {
      propertiesOf(resource, userPoolProperties);
      const id = `${region}_${physicalId(resource.logicalId, 9)}`;
      const arn = `arn:aws:cognito-idp:${region}:${accountId}:userpool/${id}`;
      const provider = `cognito-idp.${region}.amazonaws.com/${id}`;
      pools.set(id, { arn, scopes: new Set() });
      return {
        ref: id,
        attributes: { Arn: arn, UserPoolId: id, ProviderName: provider, ProviderURL: `https://${provider}` },
      };
    },

    'AWS::Cognito::UserPoolDomain': (resource) => {
      const { UserPoolId, Domain } = propertiesOf(resource, domainProperties);
      domains.set(Domain, UserPoolId);
      return { ref: Domain };
    },

    'AWS::Cognito::UserPoolResourceServer': (resource) => {
      const { UserPoolId, Identifier, Scopes } = propertiesOf(resource, resourceServerProperties);
      for (const { ScopeName } of Scopes) poolOf(UserPoolId).scopes.add(`${Identifier}/${ScopeName}`);
      return { ref: Identifier };
    },

    'AWS::Cognito::UserPoolClient': (resource) => {
      const { UserPoolId, GenerateSecret, ...settings } = propertiesOf(resource, clientProperties);
      const id = physicalId(resource.logicalId, 26);
      const client = clients.put(UserPoolId, settings, { id, generateSecret: GenerateSecret });
      const [secret] = client.secrets;
      return { ref: id, attributes: { ClientId: id, ...(secret && { ClientSecret: secret.value }) } };
    },
  };

  async function answer(request: IncomingMessage, key: SigningKey): Promise<Reply> {
    const [, first = '', ...rest] = (request.url ?? '').split('?')[0]?.split('/') ?? [];
    const place = rest.join('/');
    // AWS documents no such answer of these pages; InternalErrorException is from Cognito's API (API reference, 500).
    if (faults.isCognitoDown()) return { status: 500, body: { error: 'InternalErrorException' } };
    const poolId = domains.get(first);
    if (poolId !== undefined && place === 'oauth2/token') {
      if (request.method !== 'POST') return { status: 405, body: { error: 'method_not_allowed' } };
      // AWS does not document the body of this answer.
      if (!quotas.admits('cognitoClientTokens')) return { status: 429, body: { error: 'too_many_requests' } };
      const body = await bodyOf(request);
      const { authorization, 'content-type': contentType = '' } = request.headers;
      const { tokenLifetime } = options;
      const issuer = { key, issuer: issuerOf(poolId), clients: clients.list(poolId), tokenLifetime };
      const reply = await answerTokenRequest({ contentType, authorization, body }, issuer);
      if (reply.status === 200) meter.charge(CLIENTS, { 'cognito:tokens': 1 });
      return reply;
    }
    if (pools.has(first) && place === '.well-known/jwks.json') return { status: 200, body: { keys: [key.publicJwk] } };
    if (pools.has(first) && place === '.well-known/openid-configuration') {
      return { status: 200, body: configuration(issuerOf(first)) };
    }
    return { status: 404, body: { error: 'not_found' } };
  }

  return {
    ...createManagement(clients, (poolId) => poolOf(poolId).arn),
    types: Object.keys(makers),
    create(resource) {
      const make = makers[resource.type];
      if (!make) throw new Error(`${resource.type} is not a resource of a user pool`);
      return make(resource);
    },

    get url() {
      return url();
    },

    async start() {
      if (pools.size === 0) return;
      const key = await openSigningKey(dataFolder);
      const started = createServer({ ...options.certificate, keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
        answer(request, key)
          .then((reply) => send(response, reply))
          .catch(() => response.destroy());
      });
      await new Promise<void>((resolve, reject) => started.once('error', reject).listen(options.port, host, resolve));
      server = started;
    },

    async stop() {
      const running = server;
      server = undefined;
      if (!running) return;
      await new Promise<void>((resolve) => {
        running.close(() => resolve());
        running.closeAllConnections();
      });
    },
  };
}

type Reply = TokenReply | { readonly status: number; readonly body: object };

function send(response: ServerResponse, { status, body }: Reply): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error('The form is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The part of the discovery document that token verifiers read. */
function configuration(issuer: string) {
  return {
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    id_token_signing_alg_values_supported: ['RS256'],
    subject_types_supported: ['public'],
  };
}
