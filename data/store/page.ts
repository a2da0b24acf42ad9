import type { QueryCommandOutput } from './document-client';

/** What to ask for when a page is to hold `limit`: the one more tells whether there is a next page. */
export const withOneMore = (limit: number) => limit + 1;

/**
 * The page in what a query with one more found.
 * @param idName attribute that identifies an element
 * @returns its items, and the identifier of the last element before the next page, if there is one: it may be one that
 *   a filter left out, and it may come early, since one query reads at most 1 MB
 */
export function pageOf({ Items = [], LastEvaluatedKey }: QueryCommandOutput, limit: number, idName: string) {
  const items = Items.slice(0, limit);
  const last = Items.length > limit ? items.at(-1) : LastEvaluatedKey;
  return { items, after: last && String(last[idName]) };
}
