/** Token buckets: API Gateway developer guide, "Throttle requests to your REST APIs for better throughput". */
import * as z from 'zod';

/** `RateLimit`: requests per second; `BurstLimit`: bucket size. */
export const throttleSettings = z.object({ RateLimit: z.number().optional(), BurstLimit: z.number().int().optional() });

export type ThrottleSettings = z.infer<typeof throttleSettings>;

export interface Throttle {
  /** Takes a token from the bucket of `key`; false if it is empty. */
  admits(key: string): boolean;
}

/** Above this number of keys, full buckets are removed. */
const MAX_BUCKETS = 10_000;

/** One bucket per key, initially full. Without limits every request is admitted. */
export function createThrottle({ RateLimit, BurstLimit }: ThrottleSettings): Throttle {
  const buckets = new Map<string, { tokens: number; filledAt: number }>();
  if (RateLimit === undefined) return { admits: () => true };
  const capacity = BurstLimit ?? RateLimit;

  const refill = (now: number, filledAt: number) => ((now - filledAt) / 1000) * RateLimit;

  /** A full bucket is equivalent to a new one. */
  function removeFullBuckets(now: number): void {
    for (const [key, { tokens, filledAt }] of buckets) {
      if (tokens + refill(now, filledAt) >= capacity) buckets.delete(key);
    }
  }

  return {
    admits(key) {
      const now = performance.now();
      const bucket = buckets.get(key) ?? { tokens: capacity, filledAt: now };
      if (buckets.size >= MAX_BUCKETS && !buckets.has(key)) removeFullBuckets(now);
      buckets.set(key, bucket);
      bucket.tokens = Math.min(capacity, bucket.tokens + refill(now, bucket.filledAt));
      bucket.filledAt = now;
      if (bucket.tokens < 1) return false;
      bucket.tokens -= 1;
      return true;
    },
  };
}
