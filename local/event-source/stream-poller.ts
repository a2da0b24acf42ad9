/** Polls a stream for an event source mapping: Lambda developer guide, "Using AWS Lambda with Amazon DynamoDB". */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { TtlDeletions } from '../dynamodb/ttl-deletions';
import type { EventPattern } from '../events/event-pattern';
import { monotonicNow } from '../monotonic-clock';
import { createDelivery, type DeliveryOptions } from './batch-delivery';
import type { Position, StreamReader, StreamRecord } from './stream-reader';
import type { TableWrites } from './table-writes';

export interface StreamPollerOptions extends Pick<
  DeliveryOptions,
  'bisects' | 'reportsFailures' | 'maxRetries' | 'maxAgeSeconds' | 'signal'
> {
  readonly region: string;
  readonly streamArn: string;
  readonly tableName: string;
  readonly batchSize: number;
  /** How long an incomplete batch waits for more records. */
  readonly windowMs: number;
  /** A record must match one of them, if there are any. */
  readonly filters: readonly EventPattern[];
  readonly reader: StreamReader;
  readonly writes: TableWrites;
  readonly ttlDeletions: Pick<TtlDeletions, 'has'>;
  invoke(event: { readonly Records: readonly StreamRecord[] }): Promise<unknown>;
  discard(records: readonly StreamRecord[], shardId: string, ...how: DiscardDetails): void;
  /** Called with the position of the last processed record. */
  reached(position: Position): void;
  log(line: string): void;
}

/** `userIdentity` of a deletion by time to live. */
const TTL_USER_IDENTITY = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };

type DiscardDetails = [reason: Parameters<DeliveryOptions['discard']>[1], calls: number];

/** Poll interval without a seen write, for deletions of expired items. */
const POLL_INTERVAL_MS = 1000;
/** Minimum time between reads of a busy stream, so that writes are batched and the engine is not overloaded. */
const MIN_READ_INTERVAL_MS = 10;
/** Delay after a read error. */
const ERROR_DELAY_MS = 1000;

/** Invokes the function with one batch after the other until the signal aborts. */
export async function pollStream(options: StreamPollerOptions): Promise<void> {
  const { reader, writes, tableName, signal } = options;
  while (!signal.aborted) {
    const seen = writes.count(tableName);
    const nextRead = sleep(MIN_READ_INTERVAL_MS);
    try {
      const { records, end } = await readBatch(options);
      if (!end) await writes.waitBeyond(tableName, seen, POLL_INTERVAL_MS, signal);
      else if (await deliver(options, records, end.shardId)) options.reached(end);
      await nextRead;
    } catch (error) {
      options.log(`${options.streamArn} can't be read: ${error instanceof Error ? error.message : String(error)}`);
      await sleep(ERROR_DELAY_MS);
    }
  }

  function sleep(ms: number): Promise<void> {
    return pause(ms, undefined, { signal }).catch(() => undefined);
  }

  /** Reads one page, or as many as fill a batch within the batching window. */
  async function readBatch({ batchSize, windowMs }: StreamPollerOptions) {
    const records: StreamRecord[] = [];
    let end: Position | undefined;
    let deadline = 0;
    for (;;) {
      const seen = writes.count(tableName);
      const page = await reader.read(batchSize - records.length).catch((error: unknown) => {
        // Records that were already read would not be read again.
        if (!end) throw error;
        return undefined;
      });
      if (!page) return { records, end };
      records.push(...page.records.map(toEventRecord).filter(matchesFilters));
      end = page.end ?? end;
      deadline ||= records.length > 0 ? monotonicNow() + windowMs : 0;
      const left = deadline - monotonicNow();
      if (left <= 0 || records.length >= batchSize || signal.aborted) return { records, end };
      if (!page.end) await writes.waitBeyond(tableName, seen, Math.min(left, POLL_INTERVAL_MS), signal);
    }
  }

  function matchesFilters(record: StreamRecord): boolean {
    return options.filters.length === 0 || options.filters.some((matches) => matches(record));
  }

  /** Adds what the engine lacks: region, source ARN, and event ids that are unique across tables. */
  function toEventRecord(record: StreamRecord): StreamRecord {
    const { region: awsRegion, streamArn: eventSourceARN, tableName, ttlDeletions: ttlDeletions } = options;
    const eventID = createHash('md5').update(`${eventSourceARN} ${record.dynamodb.SequenceNumber}`).digest('hex');
    const isTtlDeletion = record.eventName === 'REMOVE' && ttlDeletions.has(tableName, record.dynamodb.Keys ?? {});
    return { ...record, eventID, awsRegion, eventSourceARN, ...(isTtlDeletion && { userIdentity: TTL_USER_IDENTITY }) };
  }
}

function deliver(options: StreamPollerOptions, records: readonly StreamRecord[], shardId: string): Promise<boolean> {
  const { bisects, reportsFailures, maxRetries, maxAgeSeconds, signal } = options;
  return createDelivery({
    ...{ bisects, reportsFailures, maxRetries, maxAgeSeconds, signal },
    invoke: (Records) => options.invoke({ Records }),
    discard: (discarded, ...how) => options.discard(discarded, shardId, ...how),
    done: ({ dynamodb }) => options.reached({ shardId, sequenceNumber: dynamodb.SequenceNumber }),
  })(records);
}
