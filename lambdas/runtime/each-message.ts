import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { about, type Subject } from './subject';

/** The fields of a message of a queue that are used. */
type QueueMessage = Pick<SQSRecord, 'messageId' | 'body'>;

/** What a function of a queue is called with. */
export interface QueueMessages {
  readonly Records: readonly QueueMessage[];
}

/** What a message of a queue asks for. */
export interface Task {
  /** What the lines about it name. */
  readonly subject: Subject;
  readonly run: () => Promise<unknown>;
}

/**
 * Processes the messages of a batch, all at the same time and each by itself.
 * @param read what a message asks for, by its body; an error fails that message only
 * @param failed is called for each failure, to log it
 * @returns the messages that failed, which the queue delivers again
 */
export async function eachMessage(
  records: readonly QueueMessage[],
  read: (body: string) => Task,
  failed: (error: unknown) => void,
): Promise<SQSBatchResponse> {
  const handle = async ({ body }: QueueMessage): Promise<boolean> => {
    let subject: Subject = {};
    try {
      const task = read(body);
      ({ subject } = task);
      await about(subject, task.run);
      return true;
    } catch (error) {
      about(subject, () => failed(error));
      return false;
    }
  };
  const handled = await Promise.all(records.map(handle));
  const left = records.filter((_, index) => !handled[index]);
  return { batchItemFailures: left.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}
