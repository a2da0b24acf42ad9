import { dirname } from 'node:path';
import type * as z from 'zod';
import { readJsonFile, replaceFile } from './atomic-file';

/** One JSON value, persisted. */
export interface DataFile<T> {
  read(): T;
  /** @throws Error when it can't be written; file and value are then unchanged */
  write(value: T): void;
}

/**
 * Stores a value in a JSON file that only its owner may access, because such values hold secrets.
 * @throws Error naming file, place and remedy for invalid JSON or an unexpected shape
 */
export function openDataFile<T>(path: string, schema: z.ZodType<T>, initial: T): DataFile<T> {
  const remedy = `put back a copy of it, or remove ${dirname(path)} to start afresh`;
  let value = readJsonFile(path, schema, remedy) ?? initial;
  return {
    read: () => value,
    write(next) {
      replaceFile(path, JSON.stringify(next, null, 2));
      value = next;
    },
  };
}
