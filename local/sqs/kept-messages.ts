import { join } from 'node:path';
import * as z from 'zod';
import { openDataFile } from '../data-file';
import { openJournal } from '../journal';
import { steadyNow } from '../steady-clock';
import { keptMessage, type Message } from './message';

const shape = z.record(z.string(), z.array(keptMessage));

/** What can happen to the messages of a queue, as the journal has it. */
const entry = z.discriminatedUnion('did', [
  z.object({ did: z.literal('add'), queue: z.string(), message: keptMessage }),
  z.object({ did: z.literal('receive'), queue: z.string(), id: z.string(), receiveCount: z.number() }),
  z.object({ did: z.literal('remove'), queue: z.string(), id: z.string() }),
  z.object({ did: z.literal('purge'), queue: z.string() }),
]);

export type JournalEntry = z.infer<typeof entry>;

/** The journal is folded into the file of all messages once it has so many lines, and more than twice as many as messages. */
const FOLD_FROM_LINES = 2000;

/** No message is delayed for longer, so one that seems to be was sent before the clock was set back. */
const LONGEST_DELAY_MS = 900_000;

/** Messages of all queues, kept across restarts and crashes. */
export interface KeptMessages {
  /** What a queue held when the process ended, however it did. */
  of(queueName: string): readonly Message[];
  /** Writes what has happened before it returns, so that what a caller is then told of survives the process. */
  note(entry: JournalEntry): void;
  /** Writes all messages to one file and begins the journal anew. */
  fold(): void;
  close(): void;
}

/**
 * Opens the messages in a data folder; `current` gives all that there are now, by the name of their queue.
 * @throws Error when a file there holds something else
 */
export function openMessages(dataFolder: string, current: () => Record<string, readonly Message[]>): KeptMessages {
  const file = openDataFile<z.infer<typeof shape>>(join(dataFolder, 'queues.json'), shape, {});
  const journal = openJournal({
    path: join(dataFolder, 'queues.journal'),
    schema: entry,
    remedy: 'delete the line, or the file with all that waits in queues',
  });
  const found = replay(file.read(), journal.entries);
  let lines = journal.entries.length;

  const fold = () => {
    file.write(shape.parse(current()));
    // A crash before this line does no harm: the journal says what the file holds already.
    journal.clear();
    lines = 0;
  };

  return {
    of: (queueName) =>
      [...(found.get(queueName)?.values() ?? [])].map((message) => ({
        ...message,
        // Whoever had received it is gone.
        hiddenUntil: message.receiveCount > 0 ? 0 : Math.min(message.hiddenUntil, steadyNow() + LONGEST_DELAY_MS),
      })),
    note(happened) {
      // Before the entry is written: it tells of what is not in `current` yet.
      if (lines >= FOLD_FROM_LINES && lines > 2 * count(current())) fold();
      journal.append(happened);
      lines += 1;
    },
    fold,
    close: () => journal.close(),
  };
}

const count = (queues: Record<string, readonly Message[]>) =>
  Object.values(queues).reduce((sum, { length }) => sum + length, 0);

/** What the queues hold after the entries; those that the messages show the effect of already change nothing. */
function replay(kept: Readonly<Record<string, readonly Message[]>>, entries: readonly JournalEntry[]) {
  const queues = new Map(
    Object.entries(kept).map(([name, messages]) => [name, new Map(messages.map((each) => [each.id, each]))]),
  );
  for (const happened of entries) {
    const messages = queues.get(happened.queue) ?? new Map<string, Message>();
    queues.set(happened.queue, messages);
    if (happened.did === 'add') messages.set(happened.message.id, happened.message);
    else if (happened.did === 'remove') messages.delete(happened.id);
    else if (happened.did === 'purge') messages.clear();
    else {
      const message = messages.get(happened.id);
      if (message) messages.set(message.id, { ...message, receiveCount: happened.receiveCount });
    }
  }
  return queues;
}
