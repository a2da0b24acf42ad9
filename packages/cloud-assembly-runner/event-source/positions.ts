import { join } from 'node:path';
import * as z from 'zod';
import { openDataFile } from '../data-folder/data-file';
import type { Position } from './stream-reader';

/** Positions of event source mappings in their streams, persisted. */
export interface Positions {
  /** Undefined if the mapping has no position in this stream. */
  get(mapping: string, streamArn: string): Position | undefined;
  /** Stores a position asynchronously: after a crash the last records are processed again. */
  set(mapping: string, streamArn: string, position: Position): void;
  /** Writes pending positions to the file. */
  flush(): void;
}

const shape = z.record(
  z.string(),
  z.object({ streamArn: z.string(), shardId: z.string(), sequenceNumber: z.string() }),
);

/** Positions are written at this interval: a batch takes a few milliseconds, and so does a write. */
const WRITE_INTERVAL_MS = 200;

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
    get: (mapping, streamArn) => {
      const known = positions.get(mapping);
      return known?.streamArn === streamArn ? known : undefined;
    },
    set: (mapping, streamArn, { shardId, sequenceNumber }) => {
      positions.set(mapping, { streamArn, shardId, sequenceNumber });
      timer ??= setTimeout(flush, WRITE_INTERVAL_MS);
    },
    flush,
  };
}
