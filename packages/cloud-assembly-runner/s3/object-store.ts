/** Objects that calls put into a bucket, kept in the data folder. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { replaceFile, withDiskCheck } from '../data-folder/atomic-file';
import type { Objects, StoredObject } from './objects';

/** First line of a file: everything but the content. The key is for whoever looks into the folder. */
const head = z.object({
  key: z.string(),
  headers: z.record(z.string(), z.string()),
  checksums: z.record(z.string(), z.string()),
});

const NEWLINE = 0x0a;

export interface ObjectStore extends Objects {
  /** Replaces the object as a whole. @throws FatalError when the disk is full */
  put(key: string, object: Omit<StoredObject, 'read'>, content: Buffer): void;
  delete(key: string): void;
}

/**
 * A file for each object, named by a hash, since a key may be longer than a file name and have any character: a line of
 * JSON, then the content. Being one file, both change at once. The folder is created with the first object.
 */
export function openObjectStore(folder: string): ObjectStore {
  const fileOf = (key: string) => join(folder, createHash('sha256').update(key).digest('hex'));
  return {
    has: (key) => existsSync(fileOf(key)),

    get(key) {
      const file = fileOf(key);
      if (!existsSync(file)) return undefined;
      const bytes = readFileSync(file);
      const end = bytes.indexOf(NEWLINE);
      const { headers, checksums } = headIn(file, bytes.toString('utf8', 0, end));
      return { headers, checksums, read: () => bytes.subarray(end + 1) };
    },

    put(key, { headers, checksums }, content) {
      withDiskCheck(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
      const line = `${JSON.stringify({ key, headers, checksums } satisfies z.infer<typeof head>)}\n`;
      replaceFile(fileOf(key), Buffer.concat([Buffer.from(line), content]));
    },

    delete: (key) => rmSync(fileOf(key), { force: true }),
  };
}

/** @throws Error naming file and remedy */
function headIn(file: string, line: string): z.infer<typeof head> {
  try {
    return head.parse(JSON.parse(line));
  } catch (cause) {
    throw new Error(`${file} can't be read: put back a copy of it, or delete it`, { cause });
  }
}
