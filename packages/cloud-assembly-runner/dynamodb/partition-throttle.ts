import * as z from 'zod';
import { failure } from '../aws-endpoint/aws-error';
import { operationOf } from './consumed-capacity';
import { tableArn } from './permissions';
import type { AwsAnswer, AwsCall } from '../service';

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

/**
 * What a caller gets for items whose partition is throttled. The DynamoDB API reference: ThrottlingException is that of on-demand
 * tables ("CommonErrors", and TransactWriteItems, "ThrottlingError … on an on-demand table"); a batch leaves items out,
 * and fails only when it could do none (BatchWriteItem, BatchGetItem).
 */
const MESSAGE =
  'Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly.';

/** For each item of a call in order: its partition, if that is throttled. */
type Refusals = readonly (Partition | undefined)[];

const writes = z.looseObject({ RequestItems: z.record(z.string(), z.array(z.unknown())) });
const reads = z.looseObject({ RequestItems: z.record(z.string(), z.looseObject({ Keys: z.array(z.unknown()) })) });

/** A call that is admitted, as far as it is. */
interface Admitted {
  readonly call: AwsCall;
  /** Adds what was left out to the answer. */
  complete(answer: AwsAnswer): AwsAnswer;
}

/**
 * The part of a call that is admitted: a batch without throttled items, every other call as a whole; undefined when
 * nothing is.
 */
export function withoutThrottled(call: AwsCall, refusals: Refusals): Admitted | undefined {
  if (refusals.every((one) => one === undefined)) return { call, complete: (answer) => answer };
  if (refusals.every((one) => one !== undefined)) return undefined;
  const operation = operationOf(call);
  const body: unknown = JSON.parse(call.body.toString());
  let position = 0;
  const next = () => refusals[position++] === undefined;
  if (operation === 'BatchWriteItem') {
    const request = writes.parse(body);
    const parts = Object.entries(request.RequestItems).map(([table, all]) => [table, partition(all, next)] as const);
    return batch(call, request, parts, 'UnprocessedItems');
  }
  if (operation === 'BatchGetItem') {
    const request = reads.parse(body);
    const parts = Object.entries(request.RequestItems).map(([table, one]) => {
      const [done, left] = partition(one.Keys, next);
      return [
        table,
        [done.length > 0 ? { ...one, Keys: done } : [], left.length > 0 ? { ...one, Keys: left } : []],
      ] as const;
    });
    return batch(call, request, parts, 'UnprocessedKeys');
  }
  return undefined;
}

function partition<One>(all: readonly One[], isFirst: () => boolean): readonly [One[], One[]] {
  const marked = all.map((one) => [one, isFirst()] as const);
  const only = (wanted: boolean) => marked.filter(([, first]) => first === wanted).map(([one]) => one);
  return [only(true), only(false)];
}

type Parts = readonly (readonly [table: string, readonly [done: unknown, left: unknown]])[];

function batch(call: AwsCall, request: object, parts: Parts, name: 'UnprocessedItems' | 'UnprocessedKeys'): Admitted {
  const side = (index: 0 | 1) =>
    Object.fromEntries(
      parts
        .map(([table, both]) => [table, both[index]] as const)
        .filter(([, one]) => !(Array.isArray(one) && one.length === 0)),
    );
  return {
    call: { ...call, body: Buffer.from(JSON.stringify({ ...request, RequestItems: side(0) })) },
    complete: (answer) => {
      if (answer.status !== 200) return answer;
      const { 'x-amz-crc32': _, ...headers } = answer.headers;
      const content = JSON.parse(answer.body.toString()) as object;
      return { ...answer, headers, body: JSON.stringify({ ...content, [name]: side(1) }) };
    },
  };
}

/** The error for a call of which nothing is done. */
export function refuseThrottled(operation: string, refusals: Refusals, kind: 'readUnits' | 'writeUnits'): AwsAnswer {
  if (operation === 'TransactWriteItems' || operation === 'TransactGetItems') return cancelled(refusals);
  const found = refusals.find((one) => one !== undefined);
  const reason = `${found?.index === undefined ? 'Table' : 'Index'}${kind === 'readUnits' ? 'Read' : 'Write'}KeyRangeThroughputExceeded`;
  const resource = tableArn(found?.table ?? '') + (found?.index === undefined ? '' : `/index/${found.index}`);
  const refused = failure('json', 400, 'ThrottlingException', MESSAGE);
  const content = JSON.parse(String(refused.body)) as object;
  return { ...refused, body: JSON.stringify({ ...content, throttlingReasons: [{ reason, resource }] }) };
}

/** One reason for each item, in order. */
function cancelled(refusals: Refusals): AwsAnswer {
  const CancellationReasons = refusals.map((one) =>
    one === undefined ? { Code: 'None' } : { Code: 'ThrottlingError', Message: MESSAGE },
  );
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
  const Message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  const refused = failure('json', 400, 'TransactionCanceledException', Message);
  const content = JSON.parse(String(refused.body)) as object;
  return { ...refused, body: JSON.stringify({ ...content, Message, CancellationReasons }) };
}
