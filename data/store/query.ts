import { paginateQuery, type QueryCommandInput, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from './dynamodb';

/**
 * All items of a query. One answer of DynamoDB ends at 1 MB, and a query in ascending order then lacks the newest
 * (DynamoDB developer guide, "Paginating table query results").
 * @param query without `Limit` and `ExclusiveStartKey`
 */
export async function queryToEnd(query: QueryCommandInput): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for await (const page of paginateQuery({ client: dynamodb }, query)) items.push(...(page.Items ?? []));
  return items;
}

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

/**
 * The items of a query of an index that the last update may have added. CloudFormation doesn't wait until such an index
 * can be read (`AWS::DynamoDB::Table`, GlobalSecondaryIndexes), and an update that is undone takes the right to it away
 * before it changes the function: until then the same items come from where they were found before.
 * @param query of the index, to the end
 * @param before reads the same items without it
 */
export async function* readNewIndex(
  query: QueryCommandInput,
  before: () => AsyncIterable<Record<string, unknown>[]>,
): AsyncGenerator<Record<string, unknown>[]> {
  try {
    for await (const { Items = [] } of paginateQuery({ client: dynamodb }, query)) yield Items;
  } catch (error) {
    if (!isNotReady(error, query.IndexName)) throw error;
    // Lambda logs this with level WARN.
    console.warn('an index can not be read yet', query.IndexName);
    yield* before();
  }
}

/** Whether an index can't be read yet: it is filled in, or not even that, or IAM does not know the right to it everywhere. */
const isNotReady = (error: unknown, index = ''): boolean =>
  error instanceof Error &&
  ((error.name === 'ValidationException' && /\bindex\b/i.test(error.message)) ||
    (error.name === 'AccessDeniedException' && error.message.includes(`/index/${index}`)));

/**
 * Parses the items of a list. An item that can't be parsed is left out, so that the others can be read, and logged as an
 * error without its content, which the alarm of the function counts.
 * @param read throws for an item that can't be parsed
 */
export function parseItems<Item, Value>(items: readonly Item[], read: (item: Item) => Value): Value[] {
  return items.flatMap((item) => {
    try {
      return [read(item)];
    } catch (error) {
      // Lambda logs this with level ERROR (developer guide, "Using JSON structured logs with Node.js").
      console.error('an item of a list could not be read', error instanceof Error ? error.name : '');
      return [];
    }
  });
}
