import { readFileSync } from 'node:fs';

/** Number of lines of a file. */
export const lineCount = (file: string): number => readFileSync(file, 'utf8').trimEnd().split('\n').length;
