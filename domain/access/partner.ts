import * as z from 'zod/mini';

/** Calls a minute by operation. */
export const limitsOfClient = z.catchall(z.object({}), z.int());
export type LimitsOfClient = z.output<typeof limitsOfClient>;

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
  /** Tokens issued before this are refused, and what was opened before it is ended; Unix seconds. */
  tokensFrom: z.optional(z.int()),
  /** How often it may call what in a minute, by operation, where that differs from what every client may. */
  limits: z.optional(limitsOfClient),
  createdAt: z.string(),
});

export type Partner = z.output<typeof partner>;

/**
 * Whether what a client did at a time is still in force: a token that it got, a connection that it opened.
 * @param at Unix seconds
 */
export const isInForce = ({ tokensFrom = 0 }: Pick<Partner, 'tokensFrom'>, at: number): boolean => at >= tokensFrom;

/**
 * The `tokensFrom` that refuses all that was issued until now. Tokens have whole seconds, so those of the same second
 * are refused too.
 * @param now Unix milliseconds
 */
export const refusingUntil = (now: number): number => Math.floor(now / 1000) + 1;

/** Ids of a client's one or two API keys, the older first. */
export const apiKeyIds = ({ apiKeyId, newApiKeyId }: Pick<Partner, 'apiKeyId' | 'newApiKeyId'>): readonly string[] =>
  newApiKeyId === undefined ? [apiKeyId] : [apiKeyId, newApiKeyId];
