import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { failStack } from '../stack/fatal-error';

/** Disk full, and disk quota exceeded (errno(3)). */
const DISK_FULL_CODES = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Runs a function that writes to a file.
 * @throws FatalError naming file and remedy when the disk is full; any other error unchanged
 */
export function withDiskCheck<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw isDiskFull(error) ? reportFullDisk(path, error) : error;
  }
}

export function isDiskFull(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && DISK_FULL_CODES.has(String(error.code));
}

/** Ends the stack because this file can't be written, and returns the error for the caller. */
export function reportFullDisk(path: string, cause?: unknown): Error {
  return failStack(`${path}: no space left on the device; free some and start again`, cause);
}

/**
 * Replaces a file atomically: a reader finds the old or the new content, even after a crash.
 * @param mode file permissions; default: only the owner may access it
 * @throws FatalError when the disk is full
 */
export function replaceFile(path: string, content: string | Uint8Array, mode = 0o600): void {
  const temporary = `${path}.new`;
  withDiskCheck(path, () => {
    try {
      writeFileSync(temporary, content, { mode });
      // `mode` above applies only to new files.
      chmodSync(temporary, mode);
      renameSync(temporary, path);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  });
}

/**
 * Reads a JSON file.
 * @param remedy what to do when it can't be read
 * @returns undefined when there is no file
 * @throws Error naming file, line and remedy for invalid JSON or an unexpected shape
 */
export function readJsonFile<T>(path: string, schema: z.ZodType<T>, remedy: string): T | undefined {
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8');
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    const where = cause instanceof z.ZodError ? `${path} (${pathOf(cause)})` : `${path}, line ${lineOf(text, cause)}`;
    throw new Error(`${where} can't be read: ${remedy}`, { cause });
  }
}

/** V8 gives the position of a JSON error, except at an unexpected end. */
function lineOf(text: string, cause: unknown): number {
  const position = /position (\d+)/.exec(String(cause))?.[1];
  return text.slice(0, position === undefined ? undefined : Number(position)).split('\n').length;
}

function pathOf({ issues }: z.ZodError): string {
  return issues[0]?.path.join('.') || 'the whole of it';
}

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
