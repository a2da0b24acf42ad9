import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Replace } from './markers';

/** Objects of a bucket by key. */
export type Objects = Map<string, StoredObject>;

export interface StoredObject {
  /** Path of the file with the content. */
  readonly file: string;
  /** System metadata as response headers, such as `cache-control`; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Replaces the markers of the source, if it has any. */
  readonly replace?: Replace;
}

/** All files below a folder: key (relative, with slashes) and path. */
export function filesBelow(folder: string): [key: string, file: string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [relative(folder, file).split(sep).join('/'), file]);
}
