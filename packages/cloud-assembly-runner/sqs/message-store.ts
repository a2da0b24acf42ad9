import { join } from 'node:path';
import * as z from 'zod';
import { openDataFile } from '../data-folder/data-file';
import { openJournal } from '../data-folder/journal';
import { monotonicNow } from '../monotonic-clock';
import { storedMessage, type Message } from './message';

const shape = z.record(z.string(), z.array(storedMessage));

/** A change to the messages of a queue, as stored in the journal. */
const entry = z.discriminatedUnion('did', [
  z.object({ did: z.literal('add'), queue: z.string(), message: storedMessage }),
  z.object({ did: z.literal('receive'), queue: z.string(), id: z.string(), receiveCount: z.number() }),
  z.object({ did: z.literal('remove'), queue: z.string(), id: z.string() }),
  z.object({ did: z.literal('purge'), queue: z.string() }),
]);

export type JournalEntry = z.infer<typeof entry>;

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
  const file = openDataFile<z.infer<typeof shape>>(join(dataFolder, 'queues.json'), shape, {});
  const journal = openJournal({
    path: join(dataFolder, 'queues.journal'),
    schema: entry,
    remedy: 'delete the line, or the file with all queued messages',
  });
  const restored = replay(file.read(), journal.entries);
  let lines = journal.entries.length;

  const compact = () => {
    file.write(shape.parse(current()));
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
