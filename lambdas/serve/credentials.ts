import { invalid } from '../../domain/refusal';

/**
 * The client credentials of an `Authorization: Basic` header, as stock OAuth clients send them
 * (RFC 6749 section 2.3.1: id and secret are form-encoded, then joined).
 * @returns undefined when there is no such header
 * @throws Refusal `invalid_request` when it can't be read
 */
export function basicCredentials(authorization: string | undefined) {
  const [, encoded] = /^basic +(\S+)$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const [id, ...secret] = Buffer.from(encoded, 'base64').toString().split(':');
  try {
    const decode = (part: string) => decodeURIComponent(part.replaceAll('+', ' '));
    return { client_id: decode(id ?? ''), client_secret: decode(secret.join(':')) };
  } catch {
    throw invalid('Authorization', 'is not readable as Basic credentials');
  }
}
