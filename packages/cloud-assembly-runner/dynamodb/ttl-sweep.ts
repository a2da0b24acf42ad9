import { DeleteItemCommand, ScanCommand, type AttributeValue, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { TtlDeletions } from './ttl-deletions';

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
