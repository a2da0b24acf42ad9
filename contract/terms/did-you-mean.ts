import { closest, distance } from 'fastest-levenshtein';

/** Largest edit distance that still counts as a typing error, relative to the length of the known name. */
const MAX_DISTANCE_RATIO = 0.4;

/** Returns `; did you mean <name>?` for the nearest known name, or an empty string if none is near. */
export function didYouMean(given: string, known: readonly string[]): string {
  const lower = known.map((name) => name.toLowerCase());
  const nearest = closest(given.toLowerCase(), lower);
  const name = known.find((one) => one.toLowerCase() === nearest);
  if (name === undefined || distance(given.toLowerCase(), nearest) > MAX_DISTANCE_RATIO * name.length) return '';
  return `; did you mean ${name}?`;
}
