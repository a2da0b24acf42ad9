import * as z from 'zod/mini';
import { Refusal } from '../../domain/refusal';
import { setting } from '../store/environment';

const token = z.object({ access_token: z.string(), token_type: z.literal('Bearer'), expires_in: z.int() });

/** Cognito responds in well under a second; after five an error is better than more waiting. */
const TIMEOUT_MS = 5000;

/**
 * Sends a form. Lambda purges idle connections while a function is frozen, and reusing one fails (developer guide, "Best
 * practices", on keep-alive), so the request is sent once more after a connection error; that costs one more token at most.
 * @throws TypeError when the server can't be reached, DOMException `TimeoutError`
 */
async function post(url: string, body: URLSearchParams): Promise<Response> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const send = () => fetch(url, { method: 'POST', body, signal });
  try {
    return await send();
  } catch (error) {
    // fetch rejects with a TypeError for any connection error.
    if (!(error instanceof TypeError)) throw error;
    return send();
  }
}

/**
 * Requests an access token with all scopes of the client from Cognito's token endpoint. The credentials are sent in the form
 * (`client_secret_post` of Cognito's `token_endpoint_auth_methods_supported`): for Basic, RFC 6749 requires form-encoding but
 * Cognito's examples don't use it, which matters for a secret with `+`.
 * @throws Refusal `invalid_client` when Cognito rejects the credentials (with a 400), `too_many_requests` when Cognito's
 *   quota is used up
 */
export async function requestToken(clientId: string, clientSecret: string) {
  const url = setting('TOKEN_URL');
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const response = await post(url, new URLSearchParams(form));
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return token.parse(body);
  if (response.status === 429) throw new Refusal('too_many_requests');
  const { error } = z.catch(z.object({ error: z.optional(z.string()) }), {}).parse(body);
  if (error === 'invalid_client') throw new Refusal('invalid_client');
  throw new Error(`the identity provider answered ${response.status} ${error ?? 'without an error code'}`);
}
