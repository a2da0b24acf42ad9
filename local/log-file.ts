import { appendFile } from 'node:fs';

/** A sink for log lines, appended to a file in the background; a line that can't be written is lost. */
export function appendTo(file: string): (line: string) => void {
  return (line) => appendFile(file, `${line}\n`, { mode: 0o600 }, () => undefined);
}
