import type { AttributeValue } from '@aws-sdk/client-dynamodb';

type Key = Readonly<Record<string, unknown>>;

/**
 * Items that were deleted because their time to live was over: their stream records say so (DynamoDB developer guide,
 * "DynamoDB Streams and Time to Live"), and the engine does not know.
 */
export interface TimedOutItems {
  /** Notes an item that is about to be deleted. */
  add(tableName: string, key: Record<string, AttributeValue>): void;
  /** Forgets one that was not deleted. */
  remove(tableName: string, key: Record<string, AttributeValue>): void;
  has(tableName: string, key: Key): boolean;
}

/** Records are read within moments; so many are remembered. */
const MOST = 10_000;

export function createTimedOutItems(): TimedOutItems {
  const known = new Set<string>();
  return {
    add(tableName, key) {
      known.add(nameOf(tableName, key));
      const [oldest] = known;
      if (known.size > MOST && oldest !== undefined) known.delete(oldest);
    },
    remove: (tableName, key) => void known.delete(nameOf(tableName, key)),
    has: (tableName, key) => known.has(nameOf(tableName, key)),
  };
}

/** The names of a key come in any order. */
const nameOf = (tableName: string, key: Key) =>
  JSON.stringify([tableName, ...Object.entries(key).sort(([one], [other]) => (one < other ? -1 : 1))]);
