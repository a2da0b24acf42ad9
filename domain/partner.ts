import * as z from 'zod/mini';

/** A client of a partner organisation: an OAuth client with an API key. */
export const partner = z.object({
  clientId: z.string(),
  /** Tag of the organisation that it belongs to. */
  organisation: z.string(),
  name: z.string(),
  /** Id, not value, of its API key in API Gateway. */
  apiKeyId: z.string(),
  scopes: z.array(z.string()),
  status: z.enum(['active', 'suspended']),
  createdAt: z.string(),
});

export type Partner = z.output<typeof partner>;
