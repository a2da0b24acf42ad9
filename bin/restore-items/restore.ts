import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { BatchGetItemCommand, BatchWriteItemCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { ScanCommand, type AttributeValue, type DynamoDBClient, type WriteRequest } from '@aws-sdk/client-dynamodb';

type Item = Record<string, AttributeValue>;

/** Maximum items of BatchWriteItem (DynamoDB API reference; 100 for BatchGetItem). */
const PAGE_ITEMS = 25;
const MAX_TRIES = 8;
/** Pause before the first retry; it doubles with each further one. */
const FIRST_PAUSE_MS = 100;

export interface RestoreOptions {
  /** Source table, with the restored items. */
  readonly from: string;
  /** Target table. */
  readonly to: string;
  /** Whether items of `to` that `from` does not have are deleted. */
  readonly deleteOthers: boolean;
  /** Whether to write at all, or only count. */
  readonly write: boolean;
}

/** Number of items by what was, or would be, done. */
export interface RestoreCounts {
  readonly same: number;
  readonly put: number;
  readonly deleted: number;
}

/**
 * Makes the items of one table equal to another's. Writes only what differs, since the table's stream publishes each write
 * to followers. Nothing else should write during this.
 * @throws Error when the tables have different keys, or when DynamoDB keeps rejecting items
 */
export async function restoreItems(client: DynamoDBClient, options: RestoreOptions): Promise<RestoreCounts> {
  const { from, to, deleteOthers, write } = options;
  const [keys, others] = [await keyNames(client, from), await keyNames(client, to)];
  if (from === to || !isDeepStrictEqual(keys, others)) throw new Error(`${from} is not a copy of ${to}`);
  const counts = { same: 0, put: 0, deleted: 0 };
  const keyOf = (item: Item) => Object.fromEntries(keys.map((name) => [name, item[name]])) as Item;
  const find = async (table: string, items: readonly Item[]) => {
    const found = await readItems(client, table, items.map(keyOf));
    return new Map(found.map((item) => [JSON.stringify(keyOf(item)), item]));
  };
  for await (const items of pages(client, from)) {
    const present = await find(to, items);
    const changed = items.filter((item) => !isDeepStrictEqual(item, present.get(JSON.stringify(keyOf(item)))));
    counts.same += items.length - changed.length;
    counts.put += changed.length;
    if (write)
      await writeAll(
        client,
        to,
        changed.map((Item) => ({ PutRequest: { Item } })),
      );
  }
  if (!deleteOthers) return counts;
  for await (const items of pages(client, to)) {
    const wanted = await find(from, items);
    const surplus = items.map(keyOf).filter((key) => !wanted.has(JSON.stringify(key)));
    counts.deleted += surplus.length;
    if (write)
      await writeAll(
        client,
        to,
        surplus.map((Key) => ({ DeleteRequest: { Key } })),
      );
  }
  return counts;
}

async function keyNames(client: DynamoDBClient, TableName: string): Promise<string[]> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  return (Table?.KeySchema ?? []).map(({ AttributeName }) => String(AttributeName));
}

async function* pages(client: DynamoDBClient, TableName: string): AsyncGenerator<Item[]> {
  let ExclusiveStartKey: Item | undefined;
  do {
    const input = {
      TableName,
      Limit: PAGE_ITEMS,
      ConsistentRead: true,
      ...(ExclusiveStartKey && { ExclusiveStartKey }),
    };
    const { Items, LastEvaluatedKey } = await client.send(new ScanCommand(input));
    if (Items?.length) yield Items;
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
}

async function readItems(client: DynamoDBClient, table: string, keys: readonly Item[]): Promise<Item[]> {
  const found: Item[] = [];
  await withRetries(keys, table, async (Keys) => {
    const input = { RequestItems: { [table]: { Keys: [...Keys], ConsistentRead: true } } };
    const { Responses, UnprocessedKeys } = await client.send(new BatchGetItemCommand(input));
    found.push(...(Responses?.[table] ?? []));
    return UnprocessedKeys?.[table]?.Keys ?? [];
  });
  return found;
}

const writeAll = (client: DynamoDBClient, table: string, requests: readonly WriteRequest[]) =>
  withRetries(requests, table, async (some) => {
    const input = { RequestItems: { [table]: [...some] } };
    const { UnprocessedItems } = await client.send(new BatchWriteItemCommand(input));
    return UnprocessedItems?.[table] ?? [];
  });

/** Repeats a batch until no items are left: DynamoDB may process only some of them. */
async function withRetries<T>(
  all: readonly T[],
  table: string,
  attempt: (some: readonly T[]) => Promise<readonly T[]>,
) {
  let left = all;
  for (let tries = 0; left.length > 0; tries += 1) {
    if (tries === MAX_TRIES) throw new Error(`${table} keeps rejecting ${left.length} items`);
    if (tries > 0) await pause(FIRST_PAUSE_MS * 2 ** tries);
    left = await attempt(left);
  }
}
