import type { AttributeValue } from '@aws-sdk/client-dynamodb';

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
