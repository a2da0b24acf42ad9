import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import type * as z from 'zod';
import { reportFullDisk, replaceFile, withDiskCheck } from './atomic-file';

/** An append-only log; entries are written synchronously. */
export interface Journal<T> {
  /** Entries found when it was opened. */
  readonly entries: readonly T[];
  /** @throws Error when the entry can't be written, FatalError for a full disk; the file is then unchanged */
  append(entry: T): void;
  clear(): void;
  close(): void;
}

export interface JournalOptions<T> {
  readonly path: string;
  /** Parses an entry; its JSON is written. */
  readonly schema: z.ZodType<T>;
  readonly toJson?: (entry: T) => unknown;
  /** What to do about a line that can't be read. */
  readonly remedy: string;
  /** Selects the entries that the file is rewritten with; default: all. */
  readonly compact?: (entries: readonly T[]) => readonly T[];
}

const NEWLINE = 0x0a;

/**
 * Opens a file of one JSON value per line that only its owner may access. Appended entries survive the end of the
 * process, even SIGKILL; a power cut may lose the last ones, since nothing is synced. An incomplete last line was never
 * acknowledged: it is dropped with a warning.
 * @throws Error naming file, line and remedy for an invalid line
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
    console.warn(`${path}: the last line was incomplete and is dropped; it had not been acknowledged`);
  }
  if (entries.length < read.length) {
    const compacted = Buffer.from(entries.map(lineOf).join(''));
    replaceFile(path, compacted);
    size = compacted.length;
  }
  const file = withDiskCheck(path, () => openSync(path, 'a', 0o600));
  const truncate = (length: number) => {
    size = length;
    ftruncateSync(file, length);
  };
  truncate(size);
  return {
    entries,
    append(entry) {
      const line = Buffer.from(lineOf(entry));
      try {
        // On a nearly full disk only the part of a line that fits is written.
        if (withDiskCheck(path, () => writeSync(file, line)) < line.length) throw reportFullDisk(path);
        size += line.length;
      } catch (error) {
        // Entries after an incomplete line could not be read.
        truncate(size);
        throw error;
      }
    },
    clear: () => truncate(0),
    close: () => closeSync(file),
  };
}

function entryIn<T>(line: string, schema: z.ZodType<T>, message: string): T {
  try {
    return schema.parse(JSON.parse(line));
  } catch (cause) {
    throw new Error(message, { cause });
  }
}
