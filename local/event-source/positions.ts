import { join } from 'node:path';
import * as z from 'zod';
import { openDataFile } from '../data-file';
import type { Position } from './stream-reader';

/** How far each mapping has come, kept across restarts. */
export interface Positions {
  /** Where a mapping is in this stream; nothing when it has read another one so far, or none. */
  of(mapping: string, streamArn: string): Position | undefined;
  /** Notes a position; what is noted a moment before a crash is worked on again. */
  note(mapping: string, streamArn: string, position: Position): void;
  /** Writes what is noted. */
  flush(): void;
}

const shape = z.record(
  z.string(),
  z.object({ streamArn: z.string(), shardId: z.string(), sequenceNumber: z.string() }),
);

/** A batch takes a few milliseconds, and so does writing a file. */
const WRITE_AFTER_MS = 200;

/** Opens the positions in a data folder. */
export function openPositions(dataFolder: string): Positions {
  const file = openDataFile(join(dataFolder, 'event-sources.json'), shape, {});
  const positions = new Map(Object.entries(file.read()));
  let timer: NodeJS.Timeout | undefined;

  const flush = () => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    file.write(Object.fromEntries(positions));
  };

  return {
    of: (mapping, streamArn) => {
      const known = positions.get(mapping);
      return known?.streamArn === streamArn ? known : undefined;
    },
    note: (mapping, streamArn, { shardId, sequenceNumber }) => {
      positions.set(mapping, { streamArn, shardId, sequenceNumber });
      timer ??= setTimeout(flush, WRITE_AFTER_MS);
    },
    flush,
  };
}
