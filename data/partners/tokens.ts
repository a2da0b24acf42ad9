import * as z from 'zod/mini';
import { Refusal } from '../../domain/refusal';

const token = z.object({ access_token: z.string(), token_type: z.literal('Bearer'), expires_in: z.int() });

/** Cognito answers in well under a second; after five, API Gateway's caller is better told. */
const TIMEOUT_MS = 5000;

/**
 * Sends a form. Connections that were idle while a function was frozen are purged, which is noticed when they are used
 * again (Lambda developer guide, "Best practices", on keep-alive): it is sent once more then, which costs a token at most.
 * @throws TypeError when nobody can be reached, DOMException `TimeoutError`
 */
async function post(url: string, body: URLSearchParams): Promise<Response> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const send = () => fetch(url, { method: 'POST', body, signal });
  try {
    return await send();
  } catch (error) {
    // What fetch rejects with for everything that is wrong with the connection.
    if (!(error instanceof TypeError)) throw error;
    return send();
  }
}

/**
 * An access token for a client, with all the scopes that it was given, from Cognito's token endpoint. The credentials go
 * in the form, `client_secret_post` of Cognito's `token_endpoint_auth_methods_supported`: over Basic, RFC 6749 wants them
 * form-encoded and Cognito's own examples don't, which makes a difference for a secret with `+`.
 * @throws Refusal `invalid_client` when the credentials are rejected (Cognito says 400 there),
 *   `too_many_requests` when Cognito's quota is used up
 */
export async function requestToken(clientId: string, clientSecret: string) {
  const url = process.env['TOKEN_URL'];
  if (!url) throw new Error('TOKEN_URL is not set');
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const response = await post(url, new URLSearchParams(form));
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return token.parse(body);
  if (response.status === 429) throw new Refusal('too_many_requests');
  const { error } = z.catch(z.object({ error: z.optional(z.string()) }), {}).parse(body);
  if (error === 'invalid_client') throw new Refusal('invalid_client');
  throw new Error(`the identity provider answered ${response.status} ${error ?? 'without an error code'}`);
}
