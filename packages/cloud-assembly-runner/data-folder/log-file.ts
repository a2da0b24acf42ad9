import { appendFile, appendFileSync } from 'node:fs';
import { reportFullDisk, isDiskFull } from './atomic-file';

const options = { mode: 0o600 };

/** Appends log lines to a file asynchronously; a line that can't be written is lost. */
export function appendTo(file: string): (line: string) => void {
  const done = (error: unknown) => checkDiskFull(file, error);
  return (line) => appendFile(file, `${line}\n`, options, done);
}

/** Appends a line synchronously; a line that can't be written is lost. */
export function appendSync(file: string, line: string): void {
  try {
    appendFileSync(file, `${line}\n`, options);
  } catch (error) {
    checkDiskFull(file, error);
  }
}

/** Ends the stack when a line was lost because the disk is full: nothing else can be stored either. */
export function checkDiskFull(file: string, error: unknown): void {
  if (isDiskFull(error)) reportFullDisk(file, error);
}
