import * as z from 'zod/mini';

/** The caller, as the authorizer's context holds it; API Gateway converts every value of a context to a string. */
export const callerContext = z.object({
  clientId: z.string(),
  organisation: z.string(),
  /** Separated by spaces. */
  scopes: z.string(),
  /** When the token expires, Unix seconds. */
  expiresAt: z.coerce.number(),
  /** JSON, since a context has no objects; absent for a client with the limits of every client. */
  limits: z.optional(z.string()),
  /** Why the client may do nothing: it is suspended. It has no scopes then. */
  refusal: z.optional(z.string()),
});

export type CallerContext = z.output<typeof callerContext>;

/**
 * Why a token is not accepted: the context of the policy that denies everything. The text has no quotes and no backslashes: the
 * gateway response for ACCESS_DENIED inserts it into JSON as it is.
 */
export interface RefusalContext {
  readonly refusal: string;
}
