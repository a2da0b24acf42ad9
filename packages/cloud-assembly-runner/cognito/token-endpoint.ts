/**
 * `POST /oauth2/token` for client credentials: Cognito developer guide, "Token endpoint" (client credentials, errors)
 * and "Understanding the access token"; and the key that signs the tokens.
 */
import { exportJWK, exportPKCS8, generateKeyPair, importPKCS8, SignJWT, type CryptoKey, type JWK } from 'jose';
import { randomUUID, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import type { AppClient, ClientSettings } from './app-clients';
import { openDataFile } from '../data-folder/atomic-file';

export interface TokenRequest {
  readonly contentType: string;
  readonly authorization: string | undefined;
  /** Raw form. */
  readonly body: string;
}

export interface TokenIssuer {
  readonly key: SigningKey;
  /** `iss` claim. */
  readonly issuer: string;
  readonly clients: readonly AppClient[];
  /** Seconds for which tokens are valid; default: what their clients say. */
  readonly tokenLifetime?: number | undefined;
}

/** 200 with a token, or 400 with `{error}` and a code of RFC 6749 section 5.2. */
export interface TokenReply {
  readonly status: 200 | 400;
  readonly body: Readonly<Record<string, string | number>>;
}

const SECONDS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };

/** Answers a token request to one pool. */
export async function answerTokenRequest(
  request: TokenRequest,
  { key, issuer, clients, tokenLifetime }: TokenIssuer,
): Promise<TokenReply> {
  if (request.contentType.split(';')[0]?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    return refusal('invalid_request');
  }
  const form = new URLSearchParams(request.body);
  const grantType = form.get('grant_type');
  if (!grantType) return refusal('invalid_request');
  if (grantType !== 'client_credentials') return refusal('unsupported_grant_type');
  const credentials = credentialsOf(request.authorization, form);
  if (!credentials) return refusal('invalid_request');
  const client = clients.find(({ id }) => id === credentials.id);
  if (!client?.secrets.some(({ value }) => same(value, credentials.secret))) return refusal('invalid_client');
  const { AllowedOAuthFlows, AllowedOAuthFlowsUserPoolClient, AllowedOAuthScopes } = client.settings;
  if (!AllowedOAuthFlowsUserPoolClient || !AllowedOAuthFlows.includes('client_credentials')) {
    return refusal('unauthorized_client');
  }
  // Without `scope` a token has all scopes of the client.
  const requested = (form.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
  if (requested.some((scope) => !AllowedOAuthScopes.includes(scope))) return refusal('invalid_scope');
  const scopes = requested.length > 0 ? requested : AllowedOAuthScopes;
  const lifetime = tokenLifetime ?? lifetimeSeconds(client.settings);
  return {
    status: 200,
    body: {
      access_token: await sign({ clientId: client.id, scopes, lifetime }, key, issuer),
      expires_in: lifetime,
      token_type: 'Bearer',
    },
  };
}

function refusal(error: string): TokenReply {
  return { status: 400, body: { error } };
}

/** HTTP Basic or form (RFC 6749 section 2.3.1); undefined if there are none, or both and they differ. */
function credentialsOf(
  authorization: string | undefined,
  form: URLSearchParams,
): { id: string; secret: string } | undefined {
  const formId = form.get('client_id');
  const [, encoded] = /^basic +(\S+)$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return formId ? { id: formId, secret: form.get('client_secret') ?? '' } : undefined;
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  if (id === '' || (formId !== null && formId !== id)) return undefined;
  return { id, secret: secret.join(':') };
}

function same(known: string, given: string): boolean {
  const [a, b] = [Buffer.from(known), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** In seconds. */
function lifetimeSeconds({ AccessTokenValidity, TokenValidityUnits }: ClientSettings): number {
  if (AccessTokenValidity === undefined) return SECONDS.hours;
  return AccessTokenValidity * SECONDS[TokenValidityUnits?.AccessToken ?? 'hours'];
}

function sign(
  { clientId, scopes, lifetime }: { clientId: string; scopes: readonly string[]; lifetime: number },
  { kid, privateKey }: SigningKey,
  issuer: string,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ token_use: 'access', scope: scopes.join(' '), auth_time: now, version: 2, client_id: clientId })
    .setProtectedHeader({ kid, alg: 'RS256' })
    .setSubject(clientId)
    .setIssuer(issuer)
    .setIssuedAt(now)
    .setExpirationTime(now + lifetime)
    .setJti(randomUUID())
    .sign(privateKey);
}

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  /** For the published key set. */
  readonly publicJwk: JWK;
}

const storedKey = z
  .object({ kid: z.string(), pkcs8: z.string(), publicJwk: z.record(z.string(), z.string()) })
  .nullable();

/** Loads the RS256 key from `dataFolder`, or generates it. */
export async function openSigningKey(dataFolder: string): Promise<SigningKey> {
  const file = openDataFile(join(dataFolder, 'token-key.json'), storedKey, null);
  let key = file.read();
  if (!key) {
    const pair = await generateKeyPair('RS256', { extractable: true });
    const kid = randomUUID();
    const jwk = { ...(await exportJWK(pair.publicKey)), kid, alg: 'RS256', use: 'sig' };
    key = { kid, pkcs8: await exportPKCS8(pair.privateKey), publicJwk: z.record(z.string(), z.string()).parse(jwk) };
    file.write(key);
  }
  return { kid: key.kid, privateKey: await importPKCS8(key.pkcs8, 'RS256'), publicJwk: key.publicJwk };
}
