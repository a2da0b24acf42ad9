import { DeleteItemCommand, ScanCommand, type AttributeValue, type DynamoDBClient } from '@aws-sdk/client-dynamodb';

type Key = Readonly<Record<string, unknown>>;

/**
 * Items deleted by time to live. Their stream records name DynamoDB as the deleter (DynamoDB developer guide, "DynamoDB
 * Streams and Time to Live"), which the engine doesn't do.
 */
export interface TtlDeletions {
  /** Records an item that is about to be deleted. */
  add(tableName: string, key: Record<string, AttributeValue>): void;
  /** Removes an item that was not deleted. */
  remove(tableName: string, key: Record<string, AttributeValue>): void;
  has(tableName: string, key: Key): boolean;
}

/** Records are read within seconds, so older ones can be forgotten. */
const MAX_ITEMS = 10_000;

export function createTtlDeletions(): TtlDeletions {
  const items = new Set<string>();
  return {
    add(tableName, key) {
      items.add(nameOf(tableName, key));
      const [oldest] = items;
      if (items.size > MAX_ITEMS && oldest !== undefined) items.delete(oldest);
    },
    remove: (tableName, key) => void items.delete(nameOf(tableName, key)),
    has: (tableName, key) => items.has(nameOf(tableName, key)),
  };
}

/** Attribute names of a key come in any order. */
const nameOf = (tableName: string, key: Key) =>
  JSON.stringify([tableName, ...Object.entries(key).sort(([one], [other]) => (one < other ? -1 : 1))]);

/** A table with time to live. */
export interface TtlTable {
  readonly name: string;
  /** TTL attribute, in Unix seconds. */
  readonly attribute: string;
  readonly keys: readonly string[];
}

/**
 * Deletes expired items, which the engine does not do. Each call scans one page of every table and continues where the
 * last one ended, so that a large table costs no more than a small one (AWS itself may take days). Deletions are
 * conditional, so an item renewed meanwhile stays; they are recorded in `timedOut`.
 */
export function createTtlSweep(
  client: DynamoDBClient,
  tables: readonly TtlTable[],
  ttlDeletions: Pick<TtlDeletions, 'add' | 'remove'>,
  pageSize = 500,
): () => Promise<void> {
  const startKeys = new Map<string, Record<string, AttributeValue> | undefined>();

  const sweepTable = async ({ name, attribute, keys }: TtlTable): Promise<void> => {
    const names = { '#ttl': attribute };
    const now = { ':now': { N: String(Math.floor(Date.now() / 1000)) }, ':zero': { N: '0' } };
    const page = await client.send(
      new ScanCommand({
        TableName: name,
        Limit: pageSize,
        ExclusiveStartKey: startKeys.get(name),
        FilterExpression: '#ttl BETWEEN :zero AND :now',
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: now,
      }),
    );
    startKeys.set(name, page.LastEvaluatedKey);
    for (const item of page.Items ?? []) {
      const Key = Object.fromEntries(Object.entries(item).filter(([key]) => keys.includes(key)));
      const deletion = new DeleteItemCommand({
        TableName: name,
        Key,
        ConditionExpression: '#ttl BETWEEN :zero AND :now',
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: now,
      });
      ttlDeletions.add(name, Key);
      await client.send(deletion).catch((error: unknown) => {
        ttlDeletions.remove(name, Key);
        if (!(error instanceof Error && error.name === 'ConditionalCheckFailedException')) throw error;
      });
    }
  };

  return async () => {
    for (const table of tables) await sweepTable(table);
  };
}
