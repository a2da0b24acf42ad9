import { Refusal, type RefusalCode } from '../domain/values/refusal';
import type { RefusalContext } from './terms/caller';
import { apiKeyUnknown } from './terms/forbidden';
import type { ErrorMessage } from './channels/socket-messages';

interface HttpRefusal {
  readonly status: 400 | 401 | 403 | 404 | 406 | 409 | 410 | 412 | 415 | 429;
  /** `error` of the body; for the token endpoint the code itself. */
  readonly text: string;
}

/** HTTP status and text of every refusal (spec section 7); no other module knows them. */
export const refusals = {
  invalid_request: { status: 400, text: 'invalid_request' },
  unsupported_grant_type: { status: 400, text: 'unsupported_grant_type' },
  invalid_client: { status: 401, text: 'invalid_client' },
  unauthorized: { status: 401, text: 'Unauthorized' },
  forbidden: { status: 403, text: 'Forbidden' },
  job_not_found: { status: 404, text: 'Job not found' },
  mission_not_found: { status: 404, text: 'Mission not found' },
  command_not_found: { status: 404, text: 'Command not found' },
  share_not_found: { status: 404, text: 'Share not found' },
  device_group_not_found: { status: 404, text: 'Device group not found' },
  resource_not_found: { status: 404, text: 'Resource not found' },
  not_acceptable: { status: 406, text: 'Not acceptable' },
  cannot_cancel: { status: 400, text: 'Cannot cancel job' },
  no_device: { status: 409, text: 'no_device' },
  cannot_command: { status: 409, text: 'cannot_command' },
  held_by: { status: 409, text: 'held_by' },
  cursor_expired: { status: 410, text: 'Cursor expired' },
  unsupported_media_type: { status: 415, text: 'Unsupported media type' },
  stale_version: { status: 412, text: 'Precondition failed' },
  too_many_requests: { status: 429, text: 'Too many requests' },
  too_many_viewers: { status: 429, text: 'Too many viewers' },
  unknown_action: { status: 400, text: 'Unknown action' },
} as const satisfies Record<RefusalCode, HttpRefusal>;

/** `error_description` of the token endpoint's errors (RFC 6749 section 5.2). */
const oauthDescriptions: Partial<Record<RefusalCode, string>> = {
  invalid_request: 'The request lacks a required parameter or is malformed.',
  unsupported_grant_type: 'grant_type must be client_credentials.',
  invalid_client: 'The client credentials were rejected.',
};

/** The refusal of a request whose `Accept` allows none of the media types of a reply (RFC 9110 section 15.5.7). */
export const notAcceptable = (mediaTypes: readonly string[]) =>
  new Refusal('not_acceptable', [{ path: 'Accept', message: `must allow one of ${mediaTypes.join(', ')}` }]);

/**
 * The refusal of a file that API Gateway sends as it is only to whoever asks for a binary type first, in the letters of its list.
 * @param mediaType that of the file, if it is binary
 */
export const mustAskFirst = (mediaType: string) =>
  new Refusal('not_acceptable', [
    { path: 'Accept', message: `must be given once and begin with ${mediaType}, in lower case` },
  ]);

/** The refusal of a body in another charset than UTF-8 (RFC 8259 section 8.1; RFC 9110 section 15.5.16). */
export const unsupportedCharset = () =>
  new Refusal('unsupported_media_type', [{ path: 'Content-Type', message: 'must have the charset UTF-8, or none' }]);

/** The refusal of a file of another media type than the endpoint takes (RFC 9110 section 15.5.16). */
export const unsupportedMediaType = (mediaTypes: readonly string[]) =>
  new Refusal('unsupported_media_type', [{ path: 'Content-Type', message: `must be one of ${mediaTypes.join(', ')}` }]);

/** Status and body of a refusal on a resource endpoint: `{error, details?}`. */
export function resourceRefusal({ code, details }: Refusal) {
  const { status, text } = refusals[code];
  return { status, body: { error: text, ...(details.length > 0 && { details }) } };
}

/** A refusal over a WebSocket: `{type: 'error', code, error, details?}`; clients branch on the code, never on the text. */
export const socketError = (refusal: Refusal): ErrorMessage => ({
  type: 'error',
  code: refusal.code,
  error: refusals[refusal.code].text,
  ...(refusal.details.length > 0 && { details: [...refusal.details] }),
});

/** An unexpected error over a WebSocket: `{type: 'error', code, error, requestId}`. */
export const internalSocketError = (requestId: string): ErrorMessage => ({
  type: 'error',
  code: 'internal_error',
  error: 'Internal server error',
  requestId,
});

/** Every `code` of an error message over a WebSocket. */
export type SocketErrorCode = ErrorMessage['code'];

/** Status and body of a refusal on the token endpoint: `{error, error_description?}`. */
export function oauthRefusal({ code, details }: Refusal) {
  const { status, text } = refusals[code];
  const named = details.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
  const description = named || oauthDescriptions[code];
  return { status, body: { error: text, ...(description && { error_description: description }) } };
}

const refusalKey = 'refusal' satisfies keyof RefusalContext;

/**
 * Bodies of refusals that API Gateway answers by itself, by the type of its gateway response. It replaces the variable by the
 * value in the authorizer's context (developer guide, "Variables for data models, authorizers, mapping templates, and
 * CloudWatch access logging").
 */
export const gatewayRefusals = {
  ACCESS_DENIED: resourceRefusal(
    new Refusal('unauthorized', [{ path: 'Authorization', message: `$context.authorizer.${refusalKey}` }]),
  ).body,
  INVALID_API_KEY: oauthRefusal(apiKeyUnknown()).body,
} as const;
