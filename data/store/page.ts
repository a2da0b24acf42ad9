import type { QueryCommandOutput } from '@aws-sdk/lib-dynamodb';

/** `Limit` of the query for a page of `limit` elements: one more shows whether there is a next page. */
export const withOneMore = (limit: number) => limit + 1;

/**
 * The page from the result of a query for at least one more element ({@link withOneMore}).
 * @param idName attribute that identifies an element
 * @returns its items and, if there is a next page, the identifier to continue after: possibly that of an item which the
 *   filter left out, or of an early one, since one query reads at most 1 MB
 */
export function cutPage({ Items = [], LastEvaluatedKey }: QueryCommandOutput, limit: number, idName: string) {
  const items = Items.slice(0, limit);
  const last = Items.length > limit ? items.at(-1) : LastEvaluatedKey;
  return { items, after: last && String(last[idName]) };
}
