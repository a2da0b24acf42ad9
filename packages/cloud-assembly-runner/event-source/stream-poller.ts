/** Polls a stream for an event source mapping: Lambda developer guide, "Using AWS Lambda with Amazon DynamoDB". */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { EventEmitter, once } from 'node:events';
import type { TtlDeletions } from '../dynamodb/time-to-live';
import type { EventPattern } from '../events/event-pattern';
import { createDelivery, type DeliveryOptions } from './batch-delivery';
import type { Position, StreamReader, StreamRecord } from './stream-reader';
import type { TableWrites } from './table-writes';
import { monotonicNow } from '../monotonic-clock';

export interface StreamPollerOptions extends Pick<
  DeliveryOptions,
  'bisects' | 'reportsFailures' | 'maxRetries' | 'maxAgeSeconds' | 'retriesMs' | 'signal'
> {
  readonly region: string;
  readonly streamArn: string;
  readonly tableName: string;
  readonly batchSize: number;
  /** How long an incomplete batch waits for more records. */
  readonly windowMs: number;
  /** How many batches of a shard are processed at the same time. */
  readonly factor: number;
  /** A record must match one of them, if there are any. */
  readonly filters: readonly EventPattern[];
  readonly reader: StreamReader;
  readonly writes: TableWrites;
  readonly ttlDeletions: Pick<TtlDeletions, 'has'>;
  invoke(event: { readonly Records: readonly StreamRecord[] }): Promise<unknown>;
  discard(records: readonly StreamRecord[], shardId: string, ...how: DiscardDetails): void;
  /** Called with the position up to which all records are processed. */
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
/** Records that are read but not processed, beyond which reading stops: a lane that is stuck must not fill the memory. */
const MAX_READ_AHEAD = 10_000;
/** Delay after a read error. */
const ERROR_DELAY_MS = 1000;

/**
 * Invokes the function with one batch of each lane at a time until the signal aborts. All changes of an item are in the same
 * lane, so they stay in order, and a batch that fails delays its own lane only ("in-order processing at the item level").
 */
export async function pollStream(options: StreamPollerOptions): Promise<void> {
  const { reader, writes, tableName, factor, signal } = options;
  const checkpoint = createCheckpoint(options.reached);
  const lanes = Array.from({ length: factor }, () =>
    createLane({ ...options, deliver: (batch) => deliver(options, checkpoint, batch) }),
  );
  const running = lanes.map((lane) => lane.run());
  while (!signal.aborted) {
    const seen = writes.count(tableName);
    const nextRead = sleep(MIN_READ_INTERVAL_MS);
    try {
      const isEnd = checkpoint.open < MAX_READ_AHEAD && !(await readPage());
      if (isEnd) await writes.waitBeyond(tableName, seen, POLL_INTERVAL_MS, signal);
      await nextRead;
    } catch (error) {
      options.log(`${options.streamArn} can't be read: ${error instanceof Error ? error.message : String(error)}`);
      await sleep(ERROR_DELAY_MS);
    }
  }
  await Promise.all(running);

  function sleep(ms: number): Promise<void> {
    return pause(ms, undefined, { signal }).catch(() => undefined);
  }

  /** Gives the records of a page to their lanes. @returns whether there were any */
  async function readPage(): Promise<boolean> {
    const { records, end } = await reader.read(MAX_READ_AHEAD);
    if (!end) return false;
    const { shardId } = end;
    const pending = records
      .map(toEventRecord)
      .filter(matchesFilters)
      .map((record) => ({
        record,
        isDone: false,
        position: { shardId, sequenceNumber: record.dynamodb.SequenceNumber },
      }));
    checkpoint.add([...pending, { position: end, isDone: true }]);
    for (const each of pending) laneOf(each.record, lanes)?.add(each);
    checkpoint.advance();
    return true;
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

/** The lane of a record, by its item. */
function laneOf({ dynamodb: { Keys = {} } }: StreamRecord, lanes: readonly Lane[]): Lane | undefined {
  const item = Object.entries(Keys).sort(([one], [other]) => (one < other ? -1 : 1));
  const hash = createHash('md5').update(JSON.stringify(item)).digest().readUInt32BE();
  return lanes[hash % lanes.length];
}

async function deliver(options: StreamPollerOptions, checkpoint: Checkpoint, batch: readonly Pending[]): Promise<void> {
  const { bisects, reportsFailures, maxRetries, maxAgeSeconds, retriesMs, signal } = options;
  const shardId = batch[0]?.position.shardId ?? '';
  await createDelivery({
    bisects,
    reportsFailures,
    maxRetries,
    maxAgeSeconds,
    ...(retriesMs && { retriesMs }),
    signal,
    invoke: (Records) => options.invoke({ Records }),
    discard: (discarded, ...how) => options.discard(discarded, shardId, ...how),
    done: (upTo) => {
      for (const each of batch.slice(0, batch.findIndex(({ record }) => record === upTo) + 1)) each.isDone = true;
      checkpoint.advance();
    },
  })(batch.map(({ record }) => record));
}

/** A record of a stream that has been read, or the end of a page. */
export interface Progress {
  readonly position: Position;
  isDone: boolean;
}

/** How far a stream is processed while several batches of it are. */
interface Checkpoint {
  /** Adds what was read, in the order of the stream. */
  add(read: readonly Progress[]): void;
  /** Call it after something is done: a position is reached when everything before it is done too. */
  advance(): void;
  /** How many records have been read and are not behind the checkpoint. */
  readonly open: number;
}

/** @param reached called with the position up to which everything is done, whenever it moves */
function createCheckpoint(reached: (position: Position) => void): Checkpoint {
  const open: Progress[] = [];

  return {
    get open() {
      return open.length;
    },
    add: (read) => void open.push(...read),
    advance() {
      const first = open.findIndex(({ isDone }) => !isDone);
      const done = open.splice(0, first < 0 ? open.length : first);
      const last = done.at(-1);
      if (last) reached(last.position);
    },
  };
}

/** A record that has been read and is to be delivered. */
interface Pending extends Progress {
  readonly record: StreamRecord;
}

interface LaneOptions {
  readonly batchSize: number;
  /** How long an incomplete batch waits for more records. */
  readonly windowMs: number;
  /** Delivers a batch of one shard; resolves when it is done, or after the signal has aborted. */
  deliver(batch: readonly Pending[]): Promise<void>;
  readonly signal: AbortSignal;
}

/** The records of a shard whose batches are delivered one after the other. */
interface Lane {
  add(pending: Pending): void;
  /** Delivers until the signal aborts. */
  run(): Promise<void>;
}

function createLane({ batchSize, windowMs, deliver, signal }: LaneOptions): Lane {
  const queue: Pending[] = [];
  const changes = new EventEmitter();
  const change = () => once(changes, 'change', { signal }).catch(() => undefined);

  /** Takes the next batch; a batch has records of one shard only. */
  function take(): Pending[] {
    const shardId = queue[0]?.position.shardId;
    const end = queue.slice(0, batchSize).findIndex(({ position }) => position.shardId !== shardId);
    return queue.splice(0, end < 0 ? batchSize : end);
  }

  async function collect(): Promise<void> {
    const deadline = monotonicNow() + windowMs;
    while (queue.length < batchSize && monotonicNow() < deadline && !signal.aborted) {
      const timer = setTimeout(() => changes.emit('change'), deadline - monotonicNow());
      await change();
      clearTimeout(timer);
    }
  }

  return {
    add(pending) {
      queue.push(pending);
      changes.emit('change');
    },
    async run() {
      while (!signal.aborted) {
        if (queue.length === 0) await change();
        else {
          await collect();
          await deliver(take());
        }
      }
    },
  };
}
