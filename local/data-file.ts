import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type * as z from 'zod';

/** One JSON value that outlives a restart. */
export interface DataFile<T> {
  read(): T;
  write(value: T): void;
}

/**
 * Keeps a value in a JSON file that only its owner may read, because such values hold secrets.
 * Throws when the file holds something of another shape.
 */
export function openDataFile<T>(path: string, schema: z.ZodType<T>, initial: T): DataFile<T> {
  let value = existsSync(path) ? schema.parse(JSON.parse(readFileSync(path, 'utf8'))) : initial;
  return {
    read: () => value,
    write(next) {
      value = next;
      // Renaming is atomic, so a crash in between leaves the old file whole.
      const draft = `${path}.new`;
      writeFileSync(draft, JSON.stringify(next, null, 2), { mode: 0o600 });
      chmodSync(draft, 0o600);
      renameSync(draft, path);
    },
  };
}
