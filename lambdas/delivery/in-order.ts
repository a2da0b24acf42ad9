import type { DynamoDBBatchResponse } from 'aws-lambda';
import { itemOf, UnreadableRecord, type StreamRecord } from '../../data/store/stream-records';
import { sendToDeadLetterQueue } from '../../data/platform/dead-letter-queue';

/**
 * Works through the records of a batch: those of one item one after the other, different items at once. A record that can't
 * be read is put aside by its number, so that it keeps nothing waiting: to try it again would never help.
 * @param work is done for each record until one fails
 * @param failed is told of each failure
 * @returns the earliest record that failed: Lambda begins there again, so nothing of an item overtakes
 *   what came before it, and what had been done after it is done again (at least once)
 */
export async function inOrder(
  records: readonly StreamRecord[],
  work: (record: StreamRecord) => Promise<void>,
  failed: (record: StreamRecord, error: unknown) => void,
): Promise<DynamoDBBatchResponse> {
  const chains = new Map<string, Promise<void>>();
  let firstFailure = Infinity;
  records.forEach((record, index) => {
    const before = chains.get(itemOf(record)) ?? Promise.resolve();
    const run = async () => {
      // What is behind a failure comes again anyway.
      if (index > firstFailure) return;
      try {
        await work(record);
      } catch (error) {
        failed(record, error);
        if (error instanceof UnreadableRecord && (await isPutAside(record))) return;
        firstFailure = Math.min(firstFailure, index);
      }
    };
    chains.set(itemOf(record), before.then(run));
  });
  await Promise.all(chains.values());
  const identifier = records[firstFailure]?.dynamodb?.SequenceNumber;
  return { batchItemFailures: identifier === undefined ? [] : [{ itemIdentifier: identifier }] };
}

/** Whether a record is in the queue for failures now. What it holds stays in the stream, for a day. */
async function isPutAside({ eventSourceARN, dynamodb }: StreamRecord): Promise<boolean> {
  const place = { eventSourceArn: eventSourceARN, sequenceNumber: dynamodb?.SequenceNumber };
  return sendToDeadLetterQueue(JSON.stringify(place), 'UnreadableRecord').then(
    () => true,
    () => false,
  );
}
