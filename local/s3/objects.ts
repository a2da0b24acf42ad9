import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** What a bucket holds, by key. */
export type Objects = Map<string, StoredObject>;

export interface StoredObject {
  /** The file with its content. */
  readonly file: string;
  /** Headers that came with it, such as `cache-control`; lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** All files below a folder: key with slashes, relative to it, and path. */
export function filesBelow(folder: string): [key: string, file: string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [relative(folder, file).split(sep).join('/'), file]);
}
