import * as z from 'zod/mini';
import { Refusal } from '../../domain/values/refusal';
import { setting } from '../store/environment';
import { postForm } from './post-form';

const token = z.object({ access_token: z.string(), token_type: z.literal('Bearer'), expires_in: z.int() });
const claims = z.object({ scope: z._default(z.string(), '') });

/**
 * The scopes that a token of Cognito carries, without the identifier of their resource server, each once. Its signature
 * is not checked: it came from Cognito.
 */
function scopesIn(accessToken: string): string {
  const [, payload = ''] = accessToken.split('.');
  const { scope } = claims.parse(parseJson(Buffer.from(payload, 'base64url').toString()));
  return [...new Set(scope.split(' ').map((name) => name.slice(name.lastIndexOf('/') + 1)))].join(' ');
}

/**
 * Cognito responds in well under a second; after five an error is better than more waiting. A repeat after a connection
 * error costs one more token at most.
 */
const TIMEOUT_MS = 5000;

/** JSON, or undefined for another text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Requests an access token with all scopes of the client from Cognito's token endpoint. The credentials are sent in the form
 * (`client_secret_post` of Cognito's `token_endpoint_auth_methods_supported`): for Basic, RFC 6749 requires form-encoding but
 * Cognito's examples don't use it, which matters for a secret with `+`.
 * @returns its answer, and the scopes, which it does not say: they may be others than those that were asked for (RFC
 * 6749 section 5.1)
 * @throws Refusal `invalid_client` when Cognito rejects the credentials (with a 400), `too_many_requests` when Cognito's
 *   quota is used up
 */
export async function requestToken(clientId: string, clientSecret: string) {
  const url = setting('TOKEN_URL');
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const response = await postForm(url, new URLSearchParams(form), TIMEOUT_MS);
  const { status } = response;
  const body = parseJson(response.body);
  if (status === 200) {
    const issued = token.parse(body);
    return { ...issued, scope: scopesIn(issued.access_token) };
  }
  if (status === 429) throw new Refusal('too_many_requests');
  const { error } = z.catch(z.object({ error: z.optional(z.string()) }), {}).parse(body);
  if (error === 'invalid_client') throw new Refusal('invalid_client');
  throw new Error(`the identity provider answered ${status} ${error ?? 'without an error code'}`);
}
