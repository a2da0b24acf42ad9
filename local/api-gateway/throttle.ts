/** Token buckets: API Gateway developer guide, "Throttle requests to your REST APIs for better throughput". */
import * as z from 'zod';

/** `RateLimit` requests a second, `BurstLimit` of them at once. */
export const throttleSettings = z.object({ RateLimit: z.number().optional(), BurstLimit: z.number().int().optional() });

export type ThrottleSettings = z.infer<typeof throttleSettings>;

export interface Throttle {
  /** Takes one request of `key` in, or says false when its bucket is empty. */
  admits(key: string): boolean;
}

/** Beyond so many keys it is worth a look which of them can be forgotten. */
const MOST_BUCKETS = 10_000;

/** One bucket for each key, full at first. Without limits everything is admitted. */
export function createThrottle({ RateLimit, BurstLimit }: ThrottleSettings): Throttle {
  const buckets = new Map<string, { tokens: number; filledAt: number }>();
  if (RateLimit === undefined) return { admits: () => true };
  const capacity = BurstLimit ?? RateLimit;

  const refill = (now: number, filledAt: number) => ((now - filledAt) / 1000) * RateLimit;

  /** A bucket that is full again says what a new one would. */
  function forgetFull(now: number): void {
    for (const [key, { tokens, filledAt }] of buckets) {
      if (tokens + refill(now, filledAt) >= capacity) buckets.delete(key);
    }
  }

  return {
    admits(key) {
      const now = performance.now();
      const bucket = buckets.get(key) ?? { tokens: capacity, filledAt: now };
      if (buckets.size >= MOST_BUCKETS && !buckets.has(key)) forgetFull(now);
      buckets.set(key, bucket);
      bucket.tokens = Math.min(capacity, bucket.tokens + refill(now, bucket.filledAt));
      bucket.filledAt = now;
      if (bucket.tokens < 1) return false;
      bucket.tokens -= 1;
      return true;
    },
  };
}
