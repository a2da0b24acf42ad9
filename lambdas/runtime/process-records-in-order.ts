import type { DynamoDBBatchResponse } from 'aws-lambda';
import { itemIdentity, describeChange, isUnreadable, type StreamRecord } from '../../data/channels/stream-records';
import { sendToDeadLetterQueue } from '../../data/platform/send-to-dead-letter-queue';
import { about, named } from './subject';

const byItem = (record: StreamRecord) => [itemIdentity(record)];

/**
 * Processes the records of a batch: those of one item in order, different items concurrently. A record that can't be
 * parsed, or for which an item is read that can't be, is sent to the dead-letter queue by its sequence number, so that
 * it blocks nothing: a retry would never succeed.
 * @param process called for each record until one fails
 * @param failed called for each failure
 * @param orderOf records that have one of these in common are processed in order; default: the item
 * @returns the earliest record that failed: Lambda retries from there, so the changes of an item stay in order, and records
 *   behind it that were processed already are processed again (at least once)
 */
export async function processInOrder(
  records: readonly StreamRecord[],
  process: (record: StreamRecord) => Promise<void>,
  failed: (record: StreamRecord, error: unknown) => void,
  orderOf: (record: StreamRecord) => readonly string[] = byItem,
): Promise<DynamoDBBatchResponse> {
  const chains = new Map<string, Promise<void>>();
  let firstFailure = Infinity;
  records.forEach((record, index) => {
    const keys = orderOf(record);
    const previous = Promise.all(keys.map((key) => chains.get(key) ?? Promise.resolve()));
    const run = async () => {
      // Records behind a failure are retried anyway.
      if (index > firstFailure) return;
      const { id, ...change } = describeChange(record);
      await about({ ...named(id), ...change }, handle);
    };
    const handle = async () => {
      try {
        await process(record);
      } catch (error) {
        failed(record, error);
        if (isUnreadable(error) && (await deadLettered(record))) return;
        firstFailure = Math.min(firstFailure, index);
      }
    };
    const done = previous.then(run);
    for (const key of keys) chains.set(key, done);
  });
  await Promise.all(chains.values());
  const identifier = records[firstFailure]?.dynamodb?.SequenceNumber;
  return { batchItemFailures: identifier === undefined ? [] : [{ itemIdentifier: identifier }] };
}

/**
 * Sends the position of a record to the dead-letter queue; the record itself stays in the stream for a day.
 * @returns whether the queue accepted it
 */
async function deadLettered({ eventSourceARN, dynamodb }: StreamRecord): Promise<boolean> {
  const position = { eventSourceArn: eventSourceARN, sequenceNumber: dynamodb?.SequenceNumber };
  return sendToDeadLetterQueue(JSON.stringify(position), 'UnreadableRecord').then(
    () => true,
    () => false,
  );
}
