import { dirname } from 'node:path';
import type * as z from 'zod';
import { readJsonFile, replaceFile } from './kept-file';

/** One JSON value that outlives a restart. */
export interface DataFile<T> {
  read(): T;
  /** @throws Error when it could not be written; the value is as before then, in the file and here */
  write(value: T): void;
}

/**
 * Keeps a value in a JSON file that only its owner may read, because such values hold secrets.
 * @throws Error that names file, place and remedy when the file can't be read or holds something of another shape
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
