import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string) => createHash('sha256').update(text).digest();

/**
 * Whether that is what CloudFront and this function alone know. How long it takes tells nothing about how much of it is right.
 * @throws Error when the function has not been told what they know
 */
export function isOriginSecret(given: string): boolean {
  const expected = process.env['ORIGIN_SECRET'];
  if (!expected) throw new Error('ORIGIN_SECRET is not set');
  return timingSafeEqual(digest(given), digest(expected));
}
