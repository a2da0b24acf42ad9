import { appendFile, appendFileSync } from 'node:fs';
import { fullDisk, isFull } from './kept-file';

const options = { mode: 0o600 };

/** A sink for log lines, appended to a file in the background; a line that can't be written is lost. */
export function appendTo(file: string): (line: string) => void {
  const done = (error: unknown) => noteLoss(file, error);
  return (line) => appendFile(file, `${line}\n`, options, done);
}

/** Appends a line before it returns; one that can't be written is lost. */
export function appendAtOnce(file: string, line: string): void {
  try {
    appendFileSync(file, `${line}\n`, options);
  } catch (error) {
    noteLoss(file, error);
  }
}

/** Has the stack end when a line was lost to a full disk, where nothing else can be kept either. */
export function noteLoss(file: string, error: unknown): void {
  if (isFull(error)) fullDisk(file, error);
}
