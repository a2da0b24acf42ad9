/** Event source mappings of DynamoDB streams: Lambda developer guide, "Using AWS Lambda with Amazon DynamoDB". */
import * as z from 'zod';
import { parseEventPattern } from '../events/event-pattern';
import { noFaults, type Faults } from '../faults';
import type { Lambda } from '../lambda';
import type { AccessRequest } from '../iam/policy';
import type { Sqs } from '../sqs';
import { failureRecord } from './failure-record';
import { pollStream } from './stream-poller';
import type { Positions } from './positions';
import { createStreamReader, type StreamRecord } from './stream-reader';
import type { TtlDeletions } from '../dynamodb/ttl-deletions';
import type { TableWrites } from './table-writes';

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
