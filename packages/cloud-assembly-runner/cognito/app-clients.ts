/**
 * App clients of user pools, persisted: Cognito user pools API reference, UserPoolClientType, CreateUserPoolClient,
 * AddUserPoolClientSecret; developer guide, "Scopes, M2M, and resource servers".
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { existsSync, readFileSync } from 'node:fs';
import { physicalId } from '../cloudformation/physical-id';
import { openDataFile, replaceFile } from '../data-folder/atomic-file';

/** Settings of a client under Cognito's names; missing ones have Cognito's defaults. */
export const clientSettings = z.object({
  ClientName: z.string().optional(),
  AllowedOAuthFlows: z.array(z.string()).default([]),
  AllowedOAuthScopes: z.array(z.string()).default([]),
  AllowedOAuthFlowsUserPoolClient: z.boolean().default(false),
  AccessTokenValidity: z.number().int().positive().optional(),
  TokenValidityUnits: z
    .object({ AccessToken: z.enum(['seconds', 'minutes', 'hours', 'days']).default('hours') })
    .optional(),
});

const clientSecret = z.object({ id: z.string(), value: z.string(), createdAt: z.number() });

const appClient = z.object({
  id: z.string(),
  poolId: z.string(),
  settings: clientSettings,
  secrets: z.array(clientSecret),
  /** Unix seconds. */
  createdAt: z.number(),
  modifiedAt: z.number(),
});

export type ClientSettings = z.infer<typeof clientSettings>;
export type ClientSecret = z.infer<typeof clientSecret>;
export type AppClient = z.infer<typeof appClient>;

/** An error of the Cognito API with the SDK's name. */
export class CognitoError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'CognitoError';
  }
}

/** All operations throw CognitoError for invalid input. */
export interface AppClients {
  /** Creates a client, or replaces the client with this `id`, which keeps its secrets. Default of `id`: generated. */
  put(poolId: string, settings: ClientSettings, options: { generateSecret: boolean; id?: string }): AppClient;
  /** Replaces all settings of an existing client. */
  update(poolId: string, id: string, settings: ClientSettings): AppClient;
  get(poolId: string, id: string): AppClient;
  list(poolId: string): readonly AppClient[];
  delete(poolId: string, id: string): void;
  /** Adds a second secret, so that secrets can be rotated. Default: a generated value. */
  addSecret(poolId: string, id: string, value?: string): ClientSecret;
  deleteSecret(poolId: string, id: string, secretId: string): void;
}

const MAX_SECRETS = 2;

/** Opens the clients of `dataFolder`. @param scopesOf scopes of a pool's resource servers */
export function openAppClients(dataFolder: string, scopesOf: (poolId: string) => ReadonlySet<string>): AppClients {
  const file = openDataFile(join(dataFolder, 'app-clients.json'), z.array(appClient), []);

  const find = (poolId: string, id: string) => file.read().find((one) => one.poolId === poolId && one.id === id);

  function get(poolId: string, id: string): AppClient {
    const client = find(poolId, id);
    if (!client) throw new CognitoError('ResourceNotFoundException', `User pool client ${id} does not exist.`);
    return client;
  }

  function save(client: AppClient): AppClient {
    check(client, scopesOf(client.poolId));
    file.write([...file.read().filter(({ id }) => id !== client.id), client]);
    return client;
  }

  return {
    get,
    list: (poolId) => file.read().filter((one) => one.poolId === poolId),
    put(poolId, settings, { generateSecret, id = physicalId(randomBytes(32).toString('hex'), 26) }) {
      const before = find(poolId, id);
      const secrets = before?.secrets ?? (generateSecret ? [newSecret(id)] : []);
      return save({ id, poolId, settings, secrets, createdAt: before?.createdAt ?? now(), modifiedAt: now() });
    },
    update: (poolId, id, settings) => save({ ...get(poolId, id), settings, modifiedAt: now() }),
    delete(poolId, id) {
      const remaining = get(poolId, id);
      file.write(file.read().filter((one) => one !== remaining));
    },
    addSecret(poolId, id, value) {
      const client = get(poolId, id);
      if (client.secrets.length >= MAX_SECRETS) {
        throw new CognitoError('LimitExceededException', `A client has at most ${MAX_SECRETS} secrets.`);
      }
      const secret = newSecret(id, value);
      save({ ...client, secrets: [...client.secrets, secret] });
      return secret;
    },
    deleteSecret(poolId, id, secretId) {
      const client = get(poolId, id);
      const secrets = client.secrets.filter((secret) => secret.id !== secretId);
      if (secrets.length === client.secrets.length) {
        throw new CognitoError('ResourceNotFoundException', `Client secret ${secretId} does not exist.`);
      }
      if (secrets.length === 0)
        throw new CognitoError('InvalidParameterException', 'The last secret cannot be deleted.');
      save({ ...client, secrets });
    },
  };
}

/** Rules that Cognito enforces too. */
function check({ settings, secrets }: AppClient, known: ReadonlySet<string>): void {
  const { AllowedOAuthFlows: flows, AllowedOAuthScopes: scopes, AllowedOAuthFlowsUserPoolClient: uses } = settings;
  if (uses && (flows.length === 0 || scopes.length === 0)) {
    throw new CognitoError(
      'InvalidParameterException',
      'AllowedOAuthFlows and AllowedOAuthScopes are required if user pool client is allowed to use OAuth flows.',
    );
  }
  if (flows.includes('client_credentials') && flows.length > 1) {
    throw new CognitoError(
      'InvalidOAuthFlowException',
      'client_credentials flow can not be selected along with code flow or implicit flow.',
    );
  }
  if (flows.includes('client_credentials') && secrets.length === 0) {
    throw new CognitoError(
      'InvalidOAuthFlowException',
      'client_credentials flow can not be selected if client does not have a client secret.',
    );
  }
  const unknown = scopes.find((scope) => !known.has(scope));
  if (unknown !== undefined)
    throw new CognitoError('ScopeDoesNotExistException', `Invalid scope requested: ${unknown}`);
}

function newSecret(clientId: string, value = physicalId(randomBytes(64).toString('hex'), 51)): ClientSecret {
  return { id: `${clientId}--${randomBytes(8).toString('hex')}`, value, createdAt: now() };
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}

/**
 * Rewrites the scopes of stored app clients, which begin with the API's base URL, when the stack starts on another
 * port, so that clients still get tokens. Call it before the clients are read.
 */
export function migrateScopes(dataFolder: string, baseUrl: string): void {
  const baseUrlFile = join(dataFolder, 'base-url');
  const clientsFile = join(dataFolder, 'app-clients.json');
  const previous = existsSync(baseUrlFile) ? readFileSync(baseUrlFile, 'utf8') : baseUrl;
  if (previous !== baseUrl && existsSync(clientsFile)) {
    const migrated = readFileSync(clientsFile, 'utf8').replaceAll(`"${previous}/`, `"${baseUrl}/`);
    replaceFile(clientsFile, migrated);
  }
  if (previous !== baseUrl || !existsSync(baseUrlFile)) replaceFile(baseUrlFile, baseUrl);
}
