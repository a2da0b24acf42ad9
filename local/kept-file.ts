import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { breakDown } from './breakdown';

/** Of a disk without space, and of a user who may use no more of it (errno(3)). */
const FULL = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Runs what writes to a file.
 * @throws Breakdown naming file and remedy when the disk is full; any other error as it is
 */
export function writing<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw isFull(error) ? fullDisk(path, error) : error;
  }
}

/** Whether a file could not be written because its disk is full. */
export function isFull(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && FULL.has(String(error.code));
}

/** The end of a stack that can't keep what it is told in this file, told to who runs it. */
export function fullDisk(path: string, cause?: unknown): Error {
  return breakDown(`${path}: no space left on the device; free some and start again`, cause);
}

/**
 * Writes a file as a whole: whoever reads it, even after a crash in between, finds the old content or the new one.
 * @param mode permissions of the file, by default of its owner alone
 * @throws Breakdown when the disk is full
 */
export function replaceFile(path: string, content: string | Uint8Array, mode = 0o600): void {
  const draft = `${path}.new`;
  writing(path, () => {
    try {
      writeFileSync(draft, content, { mode });
      // The mode above is one of new files only.
      chmodSync(draft, mode);
      renameSync(draft, path);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  });
}

/**
 * Reads a JSON file.
 * @param remedy what to do when it can't be read
 * @returns undefined when there is none
 * @throws Error naming file, line and remedy for one that is torn or holds something of another shape
 */
export function readJsonFile<T>(path: string, schema: z.ZodType<T>, remedy: string): T | undefined {
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8');
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    const where = cause instanceof z.ZodError ? `${path} (${placeIn(cause)})` : `${path}, line ${lineIn(text, cause)}`;
    throw new Error(`${where} can't be read: ${remedy}`, { cause });
  }
}

/** V8 says where JSON is wrong, except of one that ends too early. */
function lineIn(text: string, cause: unknown): number {
  const position = /position (\d+)/.exec(String(cause))?.[1];
  return text.slice(0, position === undefined ? undefined : Number(position)).split('\n').length;
}

function placeIn({ issues }: z.ZodError): string {
  return issues[0]?.path.join('.') || 'the whole of it';
}
