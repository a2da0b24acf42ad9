import { paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
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
