import * as z from 'zod/mini';

/** One thing that is wrong with a request. */
export const errorDetail = z.object({ path: z.string(), message: z.string() });

/** Every error: generated clients have one class for it. */
export const error = z.object({
  error: z.string(),
  /** Only of the token endpoint (RFC 6749 section 5.2). */
  error_description: z.optional(z.string()),
  details: z.optional(z.array(errorDetail)),
  /** Only of an unexpected error. */
  requestId: z.optional(z.string()),
});
