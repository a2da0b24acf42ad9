import { createHash } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** An id in the form of AWS's: lower-case letters and digits, constant for a seed. */
export function physicalId(seed: string, length: number): string {
  const digest = createHash('sha512').update(seed).digest();
  return Array.from(digest.subarray(0, length), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}
