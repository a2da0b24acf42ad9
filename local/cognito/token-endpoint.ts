/**
 * `POST /oauth2/token` for machines: Cognito developer guide, "Token endpoint" (client credentials, errors) and
 * "Understanding the access token".
 */
import { SignJWT } from 'jose';
import { randomUUID, timingSafeEqual } from 'node:crypto';
import type { AppClient, ClientSettings } from './app-clients';
import type { SigningKey } from './signing-key';

export interface TokenRequest {
  readonly contentType: string;
  readonly authorization: string | undefined;
  /** As sent. */
  readonly body: string;
}

export interface TokenIssuer {
  readonly key: SigningKey;
  /** `iss` of the tokens. */
  readonly issuer: string;
  readonly clients: readonly AppClient[];
}

/** Status 200 with a token, or 400 with `{error}` and one of the codes of RFC 6749 section 5.2. */
export interface TokenReply {
  readonly status: 200 | 400;
  readonly body: Readonly<Record<string, string | number>>;
}

const SECONDS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };

/** Answers a request for a token from one pool. */
export async function answerTokenRequest(
  request: TokenRequest,
  { key, issuer, clients }: TokenIssuer,
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
  // A client that asks for nothing gets all it has.
  const asked = (form.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
  if (asked.some((scope) => !AllowedOAuthScopes.includes(scope))) return refusal('invalid_scope');
  const scopes = asked.length > 0 ? asked : AllowedOAuthScopes;
  const lifetime = lifetimeOf(client.settings);
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

/** HTTP Basic or the form (RFC 6749 section 2.3.1); undefined when there are none, or two that differ. */
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
function lifetimeOf({ AccessTokenValidity, TokenValidityUnits }: ClientSettings): number {
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
