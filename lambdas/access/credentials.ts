import { invalid } from '../../domain/values/refusal';

/**
 * The token in an `Authorization: Bearer` header (RFC 6750 section 2.1); a scheme is written in any case (RFC 9110 section 11.1).
 * @returns undefined when there is no such header
 */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];

/**
 * The client credentials in an `Authorization: Basic` header. RFC 6749 section 2.3.1 requires id and secret to be
 * form-encoded before they are joined; many clients join them unencoded. The two differ for `+` and `%`
 * only. A Cognito secret consists of letters, digits, `_` and `+` (API reference, UserPoolClientType, ClientSecret), so a
 * `+` is taken literally: encoded it would be `%2B`, and no secret holds a space, which form encoding turns into `+`.
 * @returns undefined when there is no such header
 * @throws Refusal `invalid_request` when it can't be decoded
 */
export function basicCredentials(authorization: string | undefined) {
  const [, encoded] = /^basic +(\S+)$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const [id, ...secret] = Buffer.from(encoded, 'base64').toString().split(':');
  try {
    return { client_id: decodeURIComponent(id ?? ''), client_secret: decodeURIComponent(secret.join(':')) };
  } catch {
    throw invalid('Authorization', 'is not readable as Basic credentials');
  }
}
