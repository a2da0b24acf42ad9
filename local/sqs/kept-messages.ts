import { join } from 'node:path';
import * as z from 'zod';
import { openDataFile } from '../data-file';
import { keptMessage, type Message } from './message';

const shape = z.record(z.string(), z.array(keptMessage));

/** Writing takes at most so much of the time, and does not happen more often than this. */
const SHARE_OF_TIME = 1 / 20;
const WRITE_AFTER_MS = 200;

/** Messages of all queues, kept across restarts. */
export interface KeptMessages {
  /** What a queue held at the last stop. */
  of(queueName: string): readonly Message[];
  /** Notes that something has changed; what changed a moment before a crash is lost. */
  note(): void;
  /** Writes what has changed. */
  flush(): void;
}

/** Opens the messages in a data folder; `current` gives those to write, by the name of their queue. */
export function openMessages(dataFolder: string, current: () => Record<string, readonly Message[]>): KeptMessages {
  const file = openDataFile<z.infer<typeof shape>>(join(dataFolder, 'queues.json'), shape, {});
  let timer: NodeJS.Timeout | undefined;
  let tookMs = 0;

  const flush = () => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    const begun = performance.now();
    file.write(shape.parse(current()));
    tookMs = performance.now() - begun;
  };

  return {
    of: (queueName) =>
      (file.read()[queueName] ?? []).map((message) => ({
        ...message,
        // Whoever had received it is gone.
        hiddenUntil: message.receiveCount > 0 ? 0 : message.hiddenUntil,
      })),
    note: () => {
      timer ??= setTimeout(flush, Math.max(WRITE_AFTER_MS, tookMs / SHARE_OF_TIME)).unref();
    },
    flush,
  };
}
