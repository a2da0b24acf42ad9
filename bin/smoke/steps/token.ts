import { splitEndpointKey } from '../../../contract/endpoint-table';
import type { Answer } from '../../client/rest-client';
import { expectRefusal, expectThat, expectReply, send } from '../api-calls';
import type { Step, SmokeContext } from '../smoke-context';
import type { Client } from '../target';

const KEY = 'POST /v3/auth/token';

/** Requests a token for a client. @throws Unexpected without an answer */
function requestToken(
  context: SmokeContext,
  { clientId: client_id, clientSecret: client_secret }: Omit<Client, 'apiKey'>,
  apiKey: string | undefined,
): Promise<Answer> {
  const { method, path } = splitEndpointKey(KEY);
  return send(context, method, path, {
    headers: apiKey === undefined ? {} : { 'x-api-key': apiKey },
    body: { grant_type: 'client_credentials', client_id, client_secret },
  });
}

/** @throws Unexpected when no token is issued */
export const newToken = async (context: SmokeContext, client: Client): Promise<string> =>
  expectReply(KEY, await requestToken(context, client, client.apiKey)).access_token;

/** The scopes in a token's claims, without their prefix `<resource server>/`. */
export function scopesIn(token: string): readonly string[] {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || '{}');
  const held = typeof claims === 'object' && claims !== null && 'scope' in claims ? String(claims.scope) : '';
  return held.split(' ').map((scope) => scope.slice(scope.lastIndexOf('/') + 1));
}

async function token(context: SmokeContext): Promise<undefined> {
  const answer = await requestToken(context, context.target.client, context.target.client.apiKey);
  const { access_token, expires_in } = expectReply(KEY, answer);
  context.set('token', access_token);
  // Spec section 5: one hour.
  expectThat(expires_in === 3600, 'a token for 3600 s', () => `${expires_in} s`);
}

async function withoutApiKey(context: SmokeContext): Promise<undefined> {
  expectRefusal(await requestToken(context, context.target.client, undefined), 403, 'Forbidden');
}

async function wrongSecret(context: SmokeContext): Promise<undefined> {
  const { clientId, apiKey } = context.target.client;
  const answer = await requestToken(context, { clientId, clientSecret: 'not-the-secret' }, apiKey);
  expectRefusal(answer, 401, 'invalid_client');
}

export const tokenSteps: readonly Step[] = [{ name: 'token', run: token }];

export const tokenRefusals: readonly Step[] = [
  { name: '401 for a wrong client secret', run: wrongSecret },
  { name: '403 without an API key', run: withoutApiKey },
];
