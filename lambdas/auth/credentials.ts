import { invalid } from '../../domain/refusal';

/**
 * The client credentials of an `Authorization: Basic` header, as OAuth clients send them. RFC 6749 section 2.3.1 wants
 * id and secret form-encoded before they are joined; many clients join them as they are. The two differ for `+` and `%`
 * only. A secret of Cognito's has letters, digits, `_` and `+` (API reference, UserPoolClientType, ClientSecret), so a
 * `+` stands for itself: encoded it comes as `%2B`, and a space, which form encoding turns into `+`, is in no secret.
 * @returns undefined when there is no such header
 * @throws Refusal `invalid_request` when it can't be read
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
