/** One event source mapping at work: Lambda developer guide, "Using AWS Lambda with Amazon DynamoDB". */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { TimedOutItems } from '../dynamodb/timed-out-items';
import type { EventPattern } from '../event-pattern';
import { steadyNow } from '../steady-clock';
import { createDelivery, type DeliveryOptions } from './delivery';
import type { Position, StreamReader, StreamRecord } from './stream-reader';
import type { Writes } from './writes';

export interface MappingOptions extends Pick<
  DeliveryOptions,
  'bisects' | 'reportsFailures' | 'maxRetries' | 'maxAgeSeconds' | 'signal'
> {
  readonly region: string;
  readonly streamArn: string;
  readonly tableName: string;
  readonly batchSize: number;
  /** How long a batch that is not full waits for more. */
  readonly windowMs: number;
  /** A record must fit one of them, if there are any. */
  readonly filters: readonly EventPattern[];
  readonly reader: StreamReader;
  readonly writes: Writes;
  readonly timedOut: Pick<TimedOutItems, 'has'>;
  invoke(event: { readonly Records: readonly StreamRecord[] }): Promise<unknown>;
  discard(records: readonly StreamRecord[], shardId: string, ...how: DiscardDetails): void;
  /** Is told how far it has come. */
  reached(position: Position): void;
  log(line: string): void;
}

/** Who deletes an item whose time to live is over. */
const DYNAMODB = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };

type DiscardDetails = [reason: Parameters<DeliveryOptions['discard']>[1], calls: number];

/** How often the stream is asked when no write has been seen: expired items are deleted unseen. */
const POLL_MS = 1000;
/** Between two looks at a busy stream, so that writes gather in batches and the engine has time for them. */
const GATHER_MS = 10;
/** After the stream could not be read. */
const PAUSE_MS = 1000;

/** Reads a stream and hands it to a function, batch after batch in order, until the signal aborts. */
export async function runMapping(options: MappingOptions): Promise<void> {
  const { reader, writes, tableName, signal } = options;
  while (!signal.aborted) {
    const seen = writes.count(tableName);
    const nextLook = sleep(GATHER_MS);
    try {
      const { records, end } = await gather(options);
      if (!end) await writes.beyond(tableName, seen, POLL_MS, signal);
      else if (await deliver(options, records, end.shardId)) options.reached(end);
      await nextLook;
    } catch (error) {
      options.log(`${options.streamArn} can't be read: ${error instanceof Error ? error.message : String(error)}`);
      await sleep(PAUSE_MS);
    }
  }

  function sleep(ms: number): Promise<void> {
    return pause(ms, undefined, { signal }).catch(() => undefined);
  }

  /** One page, or as many as make a full batch within the window. */
  async function gather({ batchSize, windowMs }: MappingOptions) {
    const records: StreamRecord[] = [];
    let end: Position | undefined;
    let deadline = 0;
    for (;;) {
      const seen = writes.count(tableName);
      const page = await reader.read(batchSize - records.length).catch((error: unknown) => {
        // What was read before is not read again.
        if (!end) throw error;
        return undefined;
      });
      if (!page) return { records, end };
      records.push(...page.records.map(asEvent).filter(isWanted));
      end = page.end ?? end;
      deadline ||= records.length > 0 ? steadyNow() + windowMs : 0;
      const left = deadline - steadyNow();
      if (left <= 0 || records.length >= batchSize || signal.aborted) return { records, end };
      if (!page.end) await writes.beyond(tableName, seen, Math.min(left, POLL_MS), signal);
    }
  }

  function isWanted(record: StreamRecord): boolean {
    return options.filters.length === 0 || options.filters.some((fits) => fits(record));
  }

  /** What the engine does not know: where it plays, and that numbers of different tables are different events. */
  function asEvent(record: StreamRecord): StreamRecord {
    const { region: awsRegion, streamArn: eventSourceARN, tableName, timedOut } = options;
    const eventID = createHash('md5').update(`${eventSourceARN} ${record.dynamodb.SequenceNumber}`).digest('hex');
    const isTimedOut = record.eventName === 'REMOVE' && timedOut.has(tableName, record.dynamodb.Keys ?? {});
    return { ...record, eventID, awsRegion, eventSourceARN, ...(isTimedOut && { userIdentity: DYNAMODB }) };
  }
}

function deliver(options: MappingOptions, records: readonly StreamRecord[], shardId: string): Promise<boolean> {
  const { bisects, reportsFailures, maxRetries, maxAgeSeconds, signal } = options;
  return createDelivery({
    ...{ bisects, reportsFailures, maxRetries, maxAgeSeconds, signal },
    invoke: (Records) => options.invoke({ Records }),
    discard: (discarded, ...how) => options.discard(discarded, shardId, ...how),
    done: ({ dynamodb }) => options.reached({ shardId, sequenceNumber: dynamodb.SequenceNumber }),
  })(records);
}
