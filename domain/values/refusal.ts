/** Every reason for which the service refuses a request; `contract/refusals.ts` maps them to HTTP. */
export const refusalCodes = [
  'invalid_request',
  'unsupported_grant_type',
  'invalid_client',
  'unauthorized',
  'forbidden',
  'job_not_found',
  'mission_not_found',
  'command_not_found',
  'share_not_found',
  'device_group_not_found',
  'resource_not_found',
  'not_acceptable',
  'unsupported_media_type',
  'cannot_cancel',
  'no_device',
  'cannot_command',
  'held_by',
  'stale_version',
  'cursor_expired',
  'too_many_requests',
  'too_many_viewers',
  'unknown_action',
] as const;

export type RefusalCode = (typeof refusalCodes)[number];

/**
 * What is wrong with one part of the input: `path` as in `metadata.site`, the name of a header or of an identifier in the
 * path of the URL; empty for the whole input.
 */
export interface Detail {
  readonly path: string;
  readonly message: string;
}

interface RefusalOptions extends ErrorOptions {
  /** In how many seconds the same request may be taken. */
  readonly retryAfterSeconds?: number;
}

/** The only expected error: the request can't be fulfilled. Any other error is a defect. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: RefusalCode,
    readonly details: readonly Detail[] = [],
    options: RefusalOptions = {},
  ) {
    super(code, options);
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** An `invalid_request` about one part of the input. */
export const invalid = (path: string, message: string) => new Refusal('invalid_request', [{ path, message }]);

/** An `invalid_request` for an identifier that this service could not have issued. @param path the field that names it */
export const notIssued = (path: string) => invalid(path, 'is not an identifier of this service');

/** A `forbidden` with its cause: `path` and `message` are sent to the caller. */
export const forbidden = (path: string, message: string) => new Refusal('forbidden', [{ path, message }]);

/** A resource of another organisation. @param path the field that names it */
export const foreign = (path: string) => forbidden(path, "is not your organisation's");
