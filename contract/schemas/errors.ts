import * as z from 'zod/mini';

/** One thing that is wrong with a request. */
export const errorDetail = z.object({ path: z.string(), message: z.string() });

/** A refusal on a resource endpoint. */
export const error = z.object({ error: z.string(), details: z.optional(z.array(errorDetail)) });

/** A refusal on the token endpoint (RFC 6749 section 5.2). */
export const oAuthError = z.object({ error: z.string(), error_description: z.optional(z.string()) });

/** An unexpected error. */
export const internalError = z.object({ error: z.string(), requestId: z.string() });

/** What API Gateway answers before it has read a request; its form can't be changed. */
export const gatewayError = z.object({ message: z.string() });
