import { DeleteItemCommand, ScanCommand, type AttributeValue, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { TimedOutItems } from './timed-out-items';

/** A table whose items expire. */
export interface ExpiringTable {
  readonly name: string;
  /** Attribute with the time of expiry in seconds since 1970. */
  readonly attribute: string;
  readonly keys: readonly string[];
}

/**
 * Deletes expired items, which the engine does not do itself: looks at one page of every table each time it is called,
 * and goes on where it left off, so that a large table costs no more time than a small one (AWS itself may take days).
 * Each deletion is conditional, so an item that was renewed meanwhile stays, and is noted in `timedOut`.
 */
export function createExpiry(
  client: DynamoDBClient,
  tables: readonly ExpiringTable[],
  timedOut: Pick<TimedOutItems, 'add' | 'remove'>,
  pageSize = 500,
): () => Promise<void> {
  const places = new Map<string, Record<string, AttributeValue> | undefined>();

  const sweepTable = async ({ name, attribute, keys }: ExpiringTable): Promise<void> => {
    const expired = { '#ttl': attribute };
    const now = { ':now': { N: String(Math.floor(Date.now() / 1000)) }, ':zero': { N: '0' } };
    const page = await client.send(
      new ScanCommand({
        TableName: name,
        Limit: pageSize,
        ExclusiveStartKey: places.get(name),
        FilterExpression: '#ttl BETWEEN :zero AND :now',
        ExpressionAttributeNames: expired,
        ExpressionAttributeValues: now,
      }),
    );
    places.set(name, page.LastEvaluatedKey);
    for (const item of page.Items ?? []) {
      const Key = Object.fromEntries(Object.entries(item).filter(([key]) => keys.includes(key)));
      const deletion = new DeleteItemCommand({
        TableName: name,
        Key,
        ConditionExpression: '#ttl BETWEEN :zero AND :now',
        ExpressionAttributeNames: expired,
        ExpressionAttributeValues: now,
      });
      timedOut.add(name, Key);
      await client.send(deletion).catch((error: unknown) => {
        timedOut.remove(name, Key);
        if (!(error instanceof Error && error.name === 'ConditionalCheckFailedException')) throw error;
      });
    }
  };

  return async () => {
    for (const table of tables) await sweepTable(table);
  };
}
