/**
 * The throughput of partitions: DynamoDB developer guide, "Best practices for designing and using partition keys
 * effectively": one serves 1,000 write units and 3,000 read units a second, in on-demand mode too. Each partition key
 * has a bucket of its own, as if DynamoDB kept every key apart: the best case, since a partition holds many keys until
 * it is split. No burst is lent beyond a second: the guide ("Burst and adaptive capacity") promises neither its size
 * nor that it is there.
 */

/** Units a second of one partition key of a table or an index. */
export interface PartitionLimits {
  readonly readUnits: number;
  readonly writeUnits: number;
}

export const noPartitionLimits: PartitionLimits = { readUnits: Infinity, writeUnits: Infinity };

type Kind = keyof PartitionLimits;

/** What a partition key has been charged with. */
export interface PartitionUse {
  /** Table, and index if it is one's. */
  readonly table: string;
  readonly index?: string | undefined;
  /** The value of the key, in DynamoDB's JSON. */
  readonly partitionKey: string;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Requests refused, each item of a batch counted as one. */
  readonly throttled: number;
}

export type Partition = Pick<PartitionUse, 'table' | 'index' | 'partitionKey'>;

export interface PartitionThrottle {
  /** Whether a partition key may serve another request now. What it will consume is not known yet: it may go into debt for it. */
  admits(partition: Partition, kind: Kind): boolean;
  /** Charges a partition key with what a request has consumed. */
  charge(partition: Partition, kind: Kind, units: number): void;
  uses(): readonly PartitionUse[];
}

/** Above this number of partition keys those that owe nothing are forgotten. */
const MAX_PARTITIONS = 50_000;

interface Bucket {
  readonly partition: Partition;
  readonly left: Record<Kind, number>;
  readonly used: Record<Kind, number>;
  throttled: number;
  filledAt: number;
}

/** @param now in ms, of a clock that never goes back */
export function createPartitionThrottle(
  limits: PartitionLimits,
  now: () => number = () => performance.now(),
): PartitionThrottle {
  const buckets = new Map<string, Bucket>();

  function fill(bucket: Bucket): Bucket {
    const at = now();
    const seconds = (at - bucket.filledAt) / 1000;
    bucket.filledAt = at;
    for (const kind of ['readUnits', 'writeUnits'] as const)
      bucket.left[kind] = Math.min(limits[kind], bucket.left[kind] + seconds * limits[kind]);
    return bucket;
  }

  function forgetFull(): void {
    for (const [key, bucket] of buckets) {
      const { left } = fill(bucket);
      if (left.readUnits >= limits.readUnits && left.writeUnits >= limits.writeUnits) buckets.delete(key);
    }
  }

  function bucketOf(partition: Partition): Bucket {
    const key = JSON.stringify([partition.table, partition.index, partition.partitionKey]);
    const known = buckets.get(key);
    if (known) return fill(known);
    if (buckets.size >= MAX_PARTITIONS) forgetFull();
    const used = { readUnits: 0, writeUnits: 0 };
    const bucket = { partition, left: { ...limits }, used, throttled: 0, filledAt: now() };
    buckets.set(key, bucket);
    return bucket;
  }

  return {
    admits(partition, kind) {
      const bucket = bucketOf(partition);
      if (bucket.left[kind] > 0) return true;
      bucket.throttled += 1;
      return false;
    },
    charge(partition, kind, units) {
      const bucket = bucketOf(partition);
      bucket.left[kind] -= units;
      bucket.used[kind] += units;
    },
    uses: () => [...buckets.values()].map(({ partition, used, throttled }) => ({ ...partition, ...used, throttled })),
  };
}
