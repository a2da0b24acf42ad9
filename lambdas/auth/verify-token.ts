import { JwtVerifier } from 'aws-jwt-verify';
import * as z from 'zod/mini';

/** RESOURCE_SERVERS: identifiers under which scopes are given, separated by spaces. */
const environment = z
  .object({ ISSUER: z.url(), RESOURCE_SERVERS: z.string().check(z.minLength(1)) })
  .parse(process.env);

const prefixes = environment.RESOURCE_SERVERS.split(' ').map((identifier) => `${identifier}/`);

/** Claims of a Cognito access token for a machine: no `aud`, scopes under the resource server. */
const claims = z.object({
  token_use: z.literal('access'),
  client_id: z.string(),
  scope: z._default(z.string(), ''),
  exp: z.number(),
});

const verifier = JwtVerifier.create({
  issuer: environment.ISSUER,
  audience: null,
  jwksUri: `${environment.ISSUER}/.well-known/jwks.json`,
});

/** What an access token says. */
export interface Token {
  readonly clientId: string;
  /** Without the resource server's name: `command:read`. */
  readonly scopes: readonly string[];
  /** Unix seconds. */
  readonly expiresAt: number;
}

/**
 * Verifies an access token: signature, issuer, expiry, use.
 * @throws what aws-jwt-verify throws, or a ZodError, for a token that is not ours; FetchError, JwksValidationError
 *   or JwkValidationError when the keys could not be had, which says nothing about the token
 */
export async function verifyToken(token: string): Promise<Token> {
  const { client_id, scope, exp } = claims.parse(await verifier.verify(token));
  return { clientId: client_id, scopes: scopesIn(scope), expiresAt: exp };
}

/** The scopes of ours in a token's list, each once and without the resource server's name. */
function scopesIn(list: string): string[] {
  const ours = list.split(' ').flatMap((name) => {
    const prefix = prefixes.find((each) => name.startsWith(each));
    return prefix === undefined ? [] : [name.slice(prefix.length)];
  });
  return [...new Set(ours)];
}
