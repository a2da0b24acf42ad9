import { createHash } from 'node:crypto';

/** A number from 0 up to 1 that depends on its words alone, so that the same flight is flown again with the same seed. */
export function chance(...words: readonly string[]): number {
  return createHash('sha256').update(words.join('\0')).digest().readUInt32BE(0) / 2 ** 32;
}

/** Likewise, between two numbers. */
export const between = (low: number, high: number, ...words: readonly string[]) =>
  low + (high - low) * chance(...words);
