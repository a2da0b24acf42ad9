import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import type * as z from 'zod';

/** Entries that are written one by one, each before the call returns. */
export interface Journal<T> {
  /** Those that were there when it was opened. */
  readonly entries: readonly T[];
  /** @throws Error when the entry could not be written; the file is as before then */
  append(entry: T): void;
  clear(): void;
  close(): void;
}

/**
 * Opens a file of one JSON value a line, which only its owner may read. What has been appended survives the end of the
 * process, killed or not; a power cut may take the last entries, since nothing is synced to the disk. A last line without
 * its end is one that nobody was told of, and is dropped.
 * @throws Error that names file and line for one that is no entry
 */
export function openJournal<T>(path: string, schema: z.ZodType<T>): Journal<T> {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const entries = whole
    .split('\n')
    .slice(0, -1)
    .map((line, index) => entryIn(line, schema, `${path}, line ${index + 1}`));
  const file = openSync(path, 'a', 0o600);
  let size = Buffer.byteLength(whole);
  const cutTo = (bytes: number) => {
    size = bytes;
    ftruncateSync(file, bytes);
  };
  cutTo(size);
  return {
    entries,
    append(entry) {
      const line = Buffer.from(`${JSON.stringify(entry)}\n`);
      try {
        if (writeSync(file, line) < line.length) throw new Error(`${path} could not be written: is the disk full?`);
        size += line.length;
      } catch (error) {
        // What is behind half a line could not be read either.
        cutTo(size);
        throw error;
      }
    },
    clear: () => cutTo(0),
    close: () => closeSync(file),
  };
}

function entryIn<T>(line: string, schema: z.ZodType<T>, where: string): T {
  try {
    return schema.parse(JSON.parse(line));
  } catch (cause) {
    throw new Error(`${where} can't be read: delete the line, or the file with all that waits in queues`, { cause });
  }
}
