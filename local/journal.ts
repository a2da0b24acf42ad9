import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import type * as z from 'zod';
import { fullDisk, replaceFile, writing } from './kept-file';

/** Entries that are written one by one, each before the call returns. */
export interface Journal<T> {
  /** Those that were there when it was opened. */
  readonly entries: readonly T[];
  /** @throws Error when the entry could not be written, Breakdown for a full disk; the file is as before then */
  append(entry: T): void;
  clear(): void;
  close(): void;
}

export interface JournalOptions<T> {
  readonly path: string;
  /** Of an entry as it is read; what is written is its JSON. */
  readonly schema: z.ZodType<T>;
  readonly toJson?: (entry: T) => unknown;
  /** What to do about a line that can't be read. */
  readonly remedy: string;
  /** Which entries the file goes on with; default: all. */
  readonly compact?: (entries: readonly T[]) => readonly T[];
}

const NEWLINE = 0x0a;

/**
 * Opens a file of one JSON value a line, which only its owner may read. What has been appended survives the end of the
 * process, killed or not; a power cut may take the last entries, since nothing is synced to the disk. A last line without
 * its end is one that nobody was told of: it is left out, and said so.
 * @throws Error that names file, line and remedy for one that is no entry
 */
export function openJournal<T>({ path, schema, toJson = (entry) => entry, ...options }: JournalOptions<T>): Journal<T> {
  const lineOf = (entry: T) => `${JSON.stringify(toJson(entry))}\n`;
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  let size = bytes.lastIndexOf(NEWLINE) + 1;
  const read = bytes
    .toString('utf8', 0, size)
    .split('\n')
    .slice(0, -1)
    .map((line, index) => entryIn(line, schema, `${path}, line ${index + 1} can't be read: ${options.remedy}`));
  const entries = options.compact?.(read) ?? read;
  if (size < bytes.length) {
    console.warn(`${path}: its last line was cut off and is left out; nobody had been told that it was kept`);
  }
  if (entries.length < read.length) {
    const compacted = Buffer.from(entries.map(lineOf).join(''));
    replaceFile(path, compacted);
    size = compacted.length;
  }
  const file = writing(path, () => openSync(path, 'a', 0o600));
  const cutTo = (length: number) => {
    size = length;
    ftruncateSync(file, length);
  };
  cutTo(size);
  return {
    entries,
    append(entry) {
      const line = Buffer.from(lineOf(entry));
      try {
        // What fits of a line is all that is written to a disk that is nearly full.
        if (writing(path, () => writeSync(file, line)) < line.length) throw fullDisk(path);
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

function entryIn<T>(line: string, schema: z.ZodType<T>, complaint: string): T {
  try {
    return schema.parse(JSON.parse(line));
  } catch (cause) {
    throw new Error(complaint, { cause });
  }
}
