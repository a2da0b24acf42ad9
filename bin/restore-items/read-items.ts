import { setTimeout as pause } from 'node:timers/promises';
import { BatchGetItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';

export type Item = Record<string, AttributeValue>;

/** Maximum of keys of BatchGetItem (DynamoDB API reference). */
const PAGE_ITEMS = 100;
const MAX_TRIES = 8;
/** Pause before the first retry; it doubles with each further one. */
const FIRST_PAUSE_MS = 100;

/** Yields all items of a table, page by page. */
export async function* pages(client: DynamoDBClient, TableName: string): AsyncGenerator<Item[]> {
  let ExclusiveStartKey: Item | undefined;
  do {
    const after = ExclusiveStartKey && { ExclusiveStartKey };
    const { Items, LastEvaluatedKey } = await client.send(
      new ScanCommand({ TableName, Limit: PAGE_ITEMS, ConsistentRead: true, ...after }),
    );
    if (Items?.length) yield Items;
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
}

/**
 * Reads the items of a table that have the keys of others.
 * @param keys names of the key attributes
 * @param others at most a page
 * @returns in the order of the others; undefined for one that does not exist
 * @throws Error when DynamoDB keeps leaving out keys
 */
export async function readItems(
  client: DynamoDBClient,
  table: string,
  keys: readonly string[],
  others: readonly Item[],
): Promise<(Item | undefined)[]> {
  const primaryKey = (item: Item): Item => Object.fromEntries(keys.map((name) => [name, item[name] as AttributeValue]));
  const found: Item[] = [];
  let left = others.map(primaryKey);
  for (let tries = 0; left.length > 0; tries += 1) {
    if (tries === MAX_TRIES) throw new Error(`${table} keeps leaving out ${left.length} items`);
    if (tries > 0) await pause(FIRST_PAUSE_MS * 2 ** tries);
    const input = { RequestItems: { [table]: { Keys: left, ConsistentRead: true } } };
    const { Responses, UnprocessedKeys } = await client.send(new BatchGetItemCommand(input));
    found.push(...(Responses?.[table] ?? []));
    left = UnprocessedKeys?.[table]?.Keys ?? [];
  }
  const byKey = new Map(found.map((item) => [JSON.stringify(primaryKey(item)), item]));
  return others.map((other) => byKey.get(JSON.stringify(primaryKey(other))));
}
