import * as z from 'zod/mini';

/** The caller, as the authorizer's context holds it; API Gateway converts every value of a context to a string. */
export const callerContext = z.object({
  clientId: z.string(),
  organisation: z.string(),
  /** Separated by spaces. */
  scopes: z.string(),
  /** When the token expires, Unix seconds. */
  expiresAt: z.coerce.number(),
});

export type CallerContext = z.output<typeof callerContext>;
