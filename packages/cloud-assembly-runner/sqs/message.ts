import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { openDataFile } from '../data-folder/atomic-file';
import { openJournal } from '../data-folder/journal';
import { monotonicNow } from '../monotonic-clock';

/** Message attributes: SQS API reference, MessageAttributeValue; binary values in base64. */
export const messageAttributes = z.record(
  z.string().regex(/^[\w.-]{1,256}$/),
  z
    .object({
      DataType: z.string().regex(/^(String|Number|Binary)(\..+)?$/),
      StringValue: z.string().min(1).optional(),
      BinaryValue: z.string().min(1).optional(),
    })
    .refine(
      ({ DataType, StringValue, BinaryValue }) =>
        (DataType.startsWith('Binary') ? BinaryValue : StringValue) !== undefined,
      'an attribute has a value of its type',
    ),
);

export type MessageAttributes = z.infer<typeof messageAttributes>;

/** A message as it is stored; times in Unix ms. */
const storedMessage = z.object({
  id: z.string(),
  body: z.string(),
  attributes: messageAttributes,
  sentAt: z.number(),
  receiveCount: z.number(),
  firstReceivedAt: z.number().optional(),
  /** X-Ray tracing header of the sender. */
  traceHeader: z.string().optional(),
  /** ARN of the queue that this message was dead-lettered from. */
  givenUpBy: z.string().optional(),
  /** Not visible until then: delayed, or in flight. */
  hiddenUntil: z.number(),
});

export interface Message extends z.infer<typeof storedMessage> {
  /** Handle of the latest receive. */
  receiptHandle?: string;
}

export type ReceivedMessage = Readonly<Message> & { readonly receiptHandle: string };

/** SQS API reference, ReceiveMessage, MessageSystemAttributeNames. */
export function systemAttributesOf(message: ReceivedMessage, senderId: string): Record<string, string> {
  return {
    ApproximateReceiveCount: String(message.receiveCount),
    SentTimestamp: String(message.sentAt),
    SenderId: senderId,
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
    ...(message.traceHeader !== undefined && { AWSTraceHeader: message.traceHeader }),
    ...(message.givenUpBy !== undefined && { DeadLetterQueueSourceArn: message.givenUpBy }),
  };
}

/** Bytes that count against the queue's size limit: body, and names, types and values of all attributes. */
export function sizeOf(body: string, attributes: MessageAttributes): number {
  const texts = Object.entries(attributes).flatMap(([name, { DataType, StringValue = '', BinaryValue = '' }]) => [
    name,
    DataType,
    StringValue,
    Buffer.from(BinaryValue, 'base64').toString('latin1'),
  ]);
  return [body, ...texts].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Checksum by which the sender verifies that its body arrived intact. */
export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

const storedQueues = z.record(z.string(), z.array(storedMessage));

/** A change to the messages of a queue, as stored in the journal. */
const journalEntry = z.discriminatedUnion('did', [
  z.object({ did: z.literal('add'), queue: z.string(), message: storedMessage }),
  z.object({ did: z.literal('receive'), queue: z.string(), id: z.string(), receiveCount: z.number() }),
  z.object({ did: z.literal('remove'), queue: z.string(), id: z.string() }),
  z.object({ did: z.literal('purge'), queue: z.string() }),
]);

export type JournalEntry = z.infer<typeof journalEntry>;

/** The journal is compacted when it has this many lines and more than twice as many lines as there are messages. */
const COMPACT_FROM_LINES = 2000;

/** SQS's maximum delay. A message that appears to be delayed longer was sent before the clock was set back. */
const MAX_DELAY_MS = 900_000;

/** Messages of all queues, durable across restarts and crashes. */
export interface MessageStore {
  /** Messages of a queue when the last process ended, whether it stopped or crashed. */
  of(queueName: string): readonly Message[];
  /** Writes the change before it returns, so that whatever is acknowledged afterwards survives a crash. */
  append(entry: JournalEntry): void;
  /** Writes all messages to one file and clears the journal. */
  compact(): void;
  close(): void;
}

/**
 * Opens the messages in a data folder.
 * @param current returns all current messages by queue name
 * @throws Error when a file has invalid content
 */
export function openMessageStore(dataFolder: string, current: () => Record<string, readonly Message[]>): MessageStore {
  const file = openDataFile<z.infer<typeof storedQueues>>(join(dataFolder, 'queues.json'), storedQueues, {});
  const journal = openJournal({
    path: join(dataFolder, 'queues.journal'),
    schema: journalEntry,
    remedy: 'delete the line, or the file with all queued messages',
  });
  const restored = replay(file.read(), journal.entries);
  let lines = journal.entries.length;

  const compact = () => {
    file.write(storedQueues.parse(current()));
    // A crash before this line is harmless: replaying the journal over the file changes nothing.
    journal.clear();
    lines = 0;
  };

  return {
    of: (queueName) =>
      [...(restored.get(queueName)?.values() ?? [])].map((message) => ({
        ...message,
        // The consumer that had received it ended with the process.
        hiddenUntil: message.receiveCount > 0 ? 0 : Math.min(message.hiddenUntil, monotonicNow() + MAX_DELAY_MS),
      })),
    append(change) {
      // Before the append: `current` does not include this change yet.
      if (lines >= COMPACT_FROM_LINES && lines > 2 * count(current())) compact();
      journal.append(change);
      lines += 1;
    },
    compact: compact,
    close: () => journal.close(),
  };
}

const count = (queues: Record<string, readonly Message[]>) =>
  Object.values(queues).reduce((sum, { length }) => sum + length, 0);

/** Applies the journal to the stored messages. Entries that are already applied change nothing. */
function replay(kept: Readonly<Record<string, readonly Message[]>>, entries: readonly JournalEntry[]) {
  const queues = new Map(
    Object.entries(kept).map(([name, messages]) => [name, new Map(messages.map((each) => [each.id, each]))]),
  );
  for (const change of entries) {
    const messages = queues.get(change.queue) ?? new Map<string, Message>();
    queues.set(change.queue, messages);
    if (change.did === 'add') messages.set(change.message.id, change.message);
    else if (change.did === 'remove') messages.delete(change.id);
    else if (change.did === 'purge') messages.clear();
    else {
      const message = messages.get(change.id);
      if (message) messages.set(message.id, { ...message, receiveCount: change.receiveCount });
    }
  }
  return queues;
}
