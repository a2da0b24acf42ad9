import * as z from 'zod/mini';

/** Who calls, as the authorizer hands it on; API Gateway makes every value of its context a string. */
export const callerContext = z.object({
  clientId: z.string(),
  organisation: z.string(),
  /** Separated by spaces. */
  scopes: z.string(),
  /** When the token ends, Unix seconds. */
  expiresAt: z.coerce.number(),
});

export type CallerContext = z.output<typeof callerContext>;
