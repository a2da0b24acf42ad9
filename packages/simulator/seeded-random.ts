import { createHash } from 'node:crypto';

/** A number in [0, 1) that depends on its words only, so that a seed reproduces a flight. */
export function seededRandom(...words: readonly string[]): number {
  return createHash('sha256').update(words.join('\0')).digest().readUInt32BE(0) / 2 ** 32;
}

/** The same, scaled to a range. */
export const seededBetween = (low: number, high: number, ...words: readonly string[]) =>
  low + (high - low) * seededRandom(...words);
