import { closest, distance } from 'fastest-levenshtein';

/** Share of a name's letters that may be wrong for another name to be meant. */
const TOLERANCE = 0.4;

/** The known name that was probably meant by another one, as `; did you mean <name>?`, or nothing. */
export function didYouMean(given: string, known: readonly string[]): string {
  const lower = known.map((name) => name.toLowerCase());
  const nearest = closest(given.toLowerCase(), lower);
  const name = known.find((one) => one.toLowerCase() === nearest);
  if (name === undefined || distance(given.toLowerCase(), nearest) > TOLERANCE * name.length) return '';
  return `; did you mean ${name}?`;
}
