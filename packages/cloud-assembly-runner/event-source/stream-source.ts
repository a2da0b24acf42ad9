/** Event source mappings of DynamoDB streams: Lambda developer guide, "Using AWS Lambda with Amazon DynamoDB". */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { parseEventPattern } from '../events/event-pattern';
import { noFaults, type Faults } from '../faults';
import type { Lambda } from '../lambda';
import type { AccessRequest } from '../iam/policy';
import type { Sqs } from '../sqs';
import { pollStream } from './stream-poller';
import { createStreamReader, type StreamRecord, type Position } from './stream-reader';
import type { TtlDeletions } from '../dynamodb/time-to-live';
import type { TableWrites } from './table-writes';
import type { DiscardReason } from './batch-delivery';
import { openDataFile } from '../data-folder/atomic-file';

export const streamSourceProperties = z.strictObject({
  FunctionName: z.string(),
  EventSourceArn: z.string().regex(/^arn:[^:]+:dynamodb:[^/]+:table\/[^/]+\/stream\/.+$/),
  StartingPosition: z.enum(['TRIM_HORIZON', 'LATEST']),
  Enabled: z.boolean().default(true),
  BatchSize: z.number().int().min(1).max(10_000).default(100),
  MaximumBatchingWindowInSeconds: z.number().int().min(0).max(300).default(0),
  FilterCriteria: z
    .strictObject({ Filters: z.array(z.strictObject({ Pattern: z.string() })).default([]) })
    .default({ Filters: [] }),
  FunctionResponseTypes: z.array(z.literal('ReportBatchItemFailures')).default([]),
  BisectBatchOnFunctionError: z.boolean().default(false),
  MaximumRetryAttempts: z.number().int().min(-1).max(10_000).default(-1),
  MaximumRecordAgeInSeconds: z.number().int().min(-1).max(604_800).default(-1),
  DestinationConfig: z
    .strictObject({ OnFailure: z.strictObject({ Destination: z.string().includes(':sqs:') }) })
    .optional(),
  ParallelizationFactor: z.number().int().min(1).max(10).default(1),
  Tags: z.unknown().optional(),
});

type StreamSource = z.infer<typeof streamSourceProperties>;

export interface StreamSourceOptions {
  readonly region: string;
  readonly engineUrl: string;
  readonly lambda: Pick<Lambda, 'invoke'> & Partial<Pick<Lambda, 'publishAge'>>;
  readonly sqs: Pick<Sqs, 'send'>;
  readonly writes: TableWrites;
  readonly ttlDeletions: Pick<TtlDeletions, 'has'>;
  readonly positions: Positions;
  readonly signal: AbortSignal;
  /** Default: no faults. */
  readonly faults?: Pick<Faults, 'batch' | 'streamRetriesMs'>;
  log(line: string): void;
}

/** Permissions that the function's role must have. */
export function streamSourcePermissions({ EventSourceArn, DestinationConfig }: StreamSource): AccessRequest[] {
  const queue = DestinationConfig?.OnFailure.Destination;
  return [
    ...['GetRecords', 'GetShardIterator', 'DescribeStream', 'ListStreams'].map((operation) => ({
      action: `dynamodb:${operation}`,
      resource: EventSourceArn,
    })),
    ...(queue === undefined ? [] : [{ action: 'sqs:SendMessage', resource: queue }]),
  ];
}

/** Invokes the function with the batches of the stream until the signal aborts. */
export function startStreamSource(
  name: string,
  functionArn: string,
  properties: StreamSource,
  options: StreamSourceOptions,
): Promise<void> {
  const {
    region,
    engineUrl,
    lambda,
    sqs,
    writes,
    ttlDeletions: ttlDeletions,
    positions,
    signal,
    faults = noFaults,
    log,
  } = options;
  const { EventSourceArn: streamArn, DestinationConfig } = properties;
  return pollStream({
    region,
    streamArn,
    tableName: streamArn.split('/')[1] ?? '',
    batchSize: properties.BatchSize,
    windowMs: properties.MaximumBatchingWindowInSeconds * 1000,
    factor: properties.ParallelizationFactor,
    filters: properties.FilterCriteria.Filters.map(({ Pattern }) => parseEventPattern(Pattern)),
    bisects: properties.BisectBatchOnFunctionError,
    reportsFailures: properties.FunctionResponseTypes.length > 0,
    maxRetries: properties.MaximumRetryAttempts,
    maxAgeSeconds: properties.MaximumRecordAgeInSeconds,
    retriesMs: faults.streamRetriesMs,
    signal,
    reader: createStreamReader(engineUrl, streamArn, positions.get(name, streamArn) ?? properties.StartingPosition),
    writes,
    ttlDeletions: ttlDeletions,
    invoke: (event) =>
      faults.batch(() => {
        lambda.publishAge?.(functionArn, 'IteratorAge', ageOf(event.Records));
        return lambda.invoke(functionArn, event);
      }, signal),
    discard: (records, shardId, reason, calls) => {
      const failure = failureRecord({ records, reason, calls, functionArn, streamArn, shardId });
      log(`${name}: ${records.length} records were discarded: ${JSON.stringify(failure)}`);
      if (DestinationConfig) sqs.send(DestinationConfig.OnFailure.Destination, JSON.stringify(failure));
    },
    reached: (position) => positions.set(name, streamArn, position),
    log: (line) => log(`${name}: ${line}`),
  });
}

/** Of the last record of a batch, in ms. The time of a record has no fractions of a second. */
const ageOf = (records: readonly StreamRecord[]): number =>
  Math.max(0, Date.now() - (records.at(-1)?.dynamodb.ApproximateCreationDateTime ?? Infinity) * 1000);

/** Discarded records and why. */
interface Discarded {
  readonly records: readonly StreamRecord[];
  readonly reason: DiscardReason;
  /** Number of invocations with them. */
  readonly calls: number;
  readonly functionArn: string;
  readonly streamArn: string;
  readonly shardId: string;
}

/**
 * Message for the on-failure destination. It has the position of the records, not their content (Lambda developer
 * guide, "Retain discarded records for a DynamoDB event source", example invocation record).
 */
function failureRecord({ records, reason, calls, functionArn, streamArn, shardId }: Discarded): object {
  const [first, last] = [records[0]?.dynamodb, records.at(-1)?.dynamodb];
  return {
    requestContext: { requestId: randomUUID(), functionArn, condition: reason, approximateInvokeCount: calls },
    // Records can expire before the first invocation.
    ...(calls > 0 && {
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    }),
    version: '1.0',
    timestamp: new Date().toISOString(),
    DDBStreamBatchInfo: {
      shardId,
      startSequenceNumber: first?.SequenceNumber,
      endSequenceNumber: last?.SequenceNumber,
      approximateArrivalOfFirstRecord: arrival(first),
      approximateArrivalOfLastRecord: arrival(last),
      batchSize: records.length,
      streamArn,
    },
  };
}

function arrival(record: StreamRecord['dynamodb'] | undefined): string {
  return new Date((record?.ApproximateCreationDateTime ?? 0) * 1000).toISOString().replace('.000Z', 'Z');
}

/** Positions of event source mappings in their streams, persisted. */
export interface Positions {
  /** Undefined if the mapping has no position in this stream. */
  get(mapping: string, streamArn: string): Position | undefined;
  /** Stores a position asynchronously: after a crash the last records are processed again. */
  set(mapping: string, streamArn: string, position: Position): void;
  /** Writes pending positions to the file. */
  flush(): void;
}

const storedPositions = z.record(
  z.string(),
  z.object({ streamArn: z.string(), shardId: z.string(), sequenceNumber: z.string() }),
);

/** Positions are written at this interval: a batch takes a few milliseconds, and so does a write. */
const WRITE_INTERVAL_MS = 200;

export function openPositions(dataFolder: string): Positions {
  const file = openDataFile(join(dataFolder, 'event-sources.json'), storedPositions, {});
  const positions = new Map(Object.entries(file.read()));
  let timer: NodeJS.Timeout | undefined;

  const flush = () => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    file.write(Object.fromEntries(positions));
  };

  return {
    get: (mapping, streamArn) => {
      const known = positions.get(mapping);
      return known?.streamArn === streamArn ? known : undefined;
    },
    set: (mapping, streamArn, { shardId, sequenceNumber }) => {
      positions.set(mapping, { streamArn, shardId, sequenceNumber });
      timer ??= setTimeout(flush, WRITE_INTERVAL_MS);
    },
    flush,
  };
}
