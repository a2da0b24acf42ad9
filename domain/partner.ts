import * as z from 'zod/mini';

/** A client of a partner organisation: an OAuth client with an API key. */
export const partner = z.object({
  clientId: z.string(),
  /** Tag of the organisation that it belongs to. */
  organisation: z.string(),
  name: z.string(),
  /** Id, not value, of its API key in API Gateway; of the older one while it has two. */
  apiKeyId: z.string(),
  /** Id of its newer API key, while a rotation leaves the older one valid. */
  newApiKeyId: z.optional(z.string()),
  scopes: z.array(z.string()),
  status: z.enum(['active', 'suspended']),
  createdAt: z.string(),
});

export type Partner = z.output<typeof partner>;

/** Ids of a client's one or two API keys, the older first. */
export const apiKeyIds = ({ apiKeyId, newApiKeyId }: Pick<Partner, 'apiKeyId' | 'newApiKeyId'>): readonly string[] =>
  newApiKeyId === undefined ? [apiKeyId] : [apiKeyId, newApiKeyId];
