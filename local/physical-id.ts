import { createHash } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** An id as AWS would give it: lower-case letters and digits, the same for the same seed on every start. */
export function physicalId(seed: string, length: number): string {
  const digest = createHash('sha512').update(seed).digest();
  return Array.from(digest.subarray(0, length), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}
