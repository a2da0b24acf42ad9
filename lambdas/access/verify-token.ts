import { JwtVerifier } from 'aws-jwt-verify';
import * as z from 'zod/mini';
import { setting } from '../../data/store/environment';

const issuer = z.url().parse(setting('ISSUER'));

/** Prefixes of scopes: the identifiers of the resource servers. */
const prefixes = setting('RESOURCE_SERVERS')
  .split(' ')
  .map((identifier) => `${identifier}/`);

/** Claims of a Cognito access token of the client credentials grant: no `aud`, scopes with the resource server's identifier. */
const claims = z.object({
  token_use: z.literal('access'),
  client_id: z.string(),
  scope: z._default(z.string(), ''),
  iat: z.number(),
  exp: z.number(),
});

const verifier = JwtVerifier.create({
  issuer,
  audience: null,
  jwksUri: `${issuer}/.well-known/jwks.json`,
});

export interface Token {
  readonly clientId: string;
  /** Without the resource server's identifier: `command:read`. */
  readonly scopes: readonly string[];
  /** Unix seconds. */
  readonly issuedAt: number;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/**
 * Verifies an access token: signature, issuer, expiry, use.
 * @throws errors of aws-jwt-verify, or a ZodError, for a token that this service did not issue; FetchError,
 *   JwksValidationError or JwkValidationError when the signing keys could not be fetched or read
 */
export async function verifyToken(token: string): Promise<Token> {
  const { client_id, scope, iat, exp } = claims.parse(await verifier.verify(token));
  return { clientId: client_id, scopes: scopesIn(scope), issuedAt: iat, expiresAt: exp };
}

/** The scopes of this service's resource servers in a token's list, each once and without the server's identifier. */
function scopesIn(list: string): string[] {
  const known = list.split(' ').flatMap((name) => {
    const prefix = prefixes.find((each) => name.startsWith(each));
    return prefix === undefined ? [] : [name.slice(prefix.length)];
  });
  return [...new Set(known)];
}
