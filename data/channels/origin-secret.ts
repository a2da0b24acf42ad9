import { createHash, timingSafeEqual } from 'node:crypto';
import { setting } from '../store/environment';

const digest = (text: string) => createHash('sha256').update(text).digest();

/**
 * Whether a value is the secret that CloudFront shares with this function, compared in constant time.
 * @throws Error when the function has no such secret
 */
export function isOriginSecret(given: string): boolean {
  const expected = setting('ORIGIN_SECRET');
  return timingSafeEqual(digest(given), digest(expected));
}
