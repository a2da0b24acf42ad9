import { randomUUID } from 'node:crypto';
import type { DiscardReason } from './batch-delivery';
import type { StreamRecord } from './stream-reader';

/** Discarded records and why. */
export interface Discarded {
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
export function failureRecord({ records, reason, calls, functionArn, streamArn, shardId }: Discarded): object {
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
