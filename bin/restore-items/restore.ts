import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { BatchGetItemCommand, BatchWriteItemCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { ScanCommand, type AttributeValue, type DynamoDBClient, type WriteRequest } from '@aws-sdk/client-dynamodb';

type Item = Record<string, AttributeValue>;

/** Most items that DynamoDB writes in one call (DynamoDB API reference, BatchWriteItem; 100 for BatchGetItem). */
const PAGE = 25;
const TRIES = 8;
/** Before the first repeat; each later one waits twice as long. */
const PAUSE_MS = 100;

export interface Restoring {
  /** Table that holds things as they were. */
  readonly from: string;
  /** Table that is to hold them so again. */
  readonly to: string;
  /** Whether what `from` does not have is deleted from `to`. */
  readonly deleteOthers: boolean;
  /** Whether anything is written at all. */
  readonly write: boolean;
}

/** How many items there were of each sort. */
export interface Restored {
  readonly same: number;
  readonly put: number;
  readonly deleted: number;
}

/**
 * Makes the items of one table those of another, writing only what differs, since each write is told to followers by the
 * table's stream. Nothing else should write meanwhile.
 * @throws Error when the tables have different keys, or when DynamoDB goes on refusing writes
 */
export async function restoreItems(client: DynamoDBClient, restoring: Restoring): Promise<Restored> {
  const { from, to, deleteOthers, write } = restoring;
  const [keys, others] = [await keyNames(client, from), await keyNames(client, to)];
  if (from === to || !isDeepStrictEqual(keys, others)) throw new Error(`${from} is no copy of ${to}`);
  const counts = { same: 0, put: 0, deleted: 0 };
  const keyOf = (item: Item) => Object.fromEntries(keys.map((name) => [name, item[name]])) as Item;
  const find = async (table: string, items: readonly Item[]) => {
    const found = await read(client, table, items.map(keyOf));
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
    const input = { TableName, Limit: PAGE, ConsistentRead: true, ...(ExclusiveStartKey && { ExclusiveStartKey }) };
    const { Items, LastEvaluatedKey } = await client.send(new ScanCommand(input));
    if (Items?.length) yield Items;
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
}

async function read(client: DynamoDBClient, table: string, keys: readonly Item[]): Promise<Item[]> {
  const found: Item[] = [];
  await patiently(keys, table, async (Keys) => {
    const input = { RequestItems: { [table]: { Keys: [...Keys], ConsistentRead: true } } };
    const { Responses, UnprocessedKeys } = await client.send(new BatchGetItemCommand(input));
    found.push(...(Responses?.[table] ?? []));
    return UnprocessedKeys?.[table]?.Keys ?? [];
  });
  return found;
}

const writeAll = (client: DynamoDBClient, table: string, requests: readonly WriteRequest[]) =>
  patiently(requests, table, async (some) => {
    const input = { RequestItems: { [table]: [...some] } };
    const { UnprocessedItems } = await client.send(new BatchWriteItemCommand(input));
    return UnprocessedItems?.[table] ?? [];
  });

/** Does a batch again until nothing is left of it: DynamoDB may do a part of one. */
async function patiently<T>(all: readonly T[], table: string, attempt: (some: readonly T[]) => Promise<readonly T[]>) {
  let left = all;
  for (let tries = 0; left.length > 0; tries += 1) {
    if (tries === TRIES) throw new Error(`${table} goes on refusing ${left.length} items`);
    if (tries > 0) await pause(PAUSE_MS * 2 ** tries);
    left = await attempt(left);
  }
}
