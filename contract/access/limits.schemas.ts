import * as z from 'zod/mini';
import { success } from '../terms/page.schemas';

/** How often a client may call an operation. */
export const rateLimit = z.object({
  operation: z.string(),
  limit: z.int(),
  windowSeconds: z.int(),
  burst: z.optional(z.int()),
  /** Unknown, and so left out, where API Gateway counts. */
  remaining: z.optional(z.int()),
  resetAt: z.optional(z.string()),
});

/** How much a client may have at the same time. */
export const quota = z.object({ limit: z.int(), used: z.int(), remaining: z.int() });

export const bounds = z.object({ minimum: z.int(), maximum: z.int(), default: z.int() });

export const shareBounds = z.object({ maxViewers: bounds, expiresIn: bounds });

export const limits = z.object({
  rates: z.array(rateLimit),
  connections: quota,
  subscriptions: quota,
  shares: shareBounds,
});

export const limitsReply = z.object({ success, limits });
