import { randomUUID } from 'node:crypto';
import type { DiscardReason } from './delivery';
import type { StreamRecord } from './stream-reader';

/** Records that were given up, and how it came to that. */
export interface Discarded {
  readonly records: readonly StreamRecord[];
  readonly reason: DiscardReason;
  /** How often the function was called with them. */
  readonly calls: number;
  readonly functionArn: string;
  readonly streamArn: string;
  readonly shardId: string;
}

/**
 * What is sent to the failure destination: where the records were, not what was in them (Lambda developer guide,
 * "Retain discarded records for a DynamoDB event source", example invocation record).
 */
export function failureRecord({ records, reason, calls, functionArn, streamArn, shardId }: Discarded): object {
  const [first, last] = [records[0]?.dynamodb, records.at(-1)?.dynamodb];
  return {
    requestContext: { requestId: randomUUID(), functionArn, condition: reason, approximateInvokeCount: calls },
    // Records can be too old before they are tried at all.
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
