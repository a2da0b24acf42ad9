import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { extname, join, relative, sep } from 'node:path';
import type { Replace } from './markers';

export interface StoredObject {
  /** System and user metadata as response headers, such as `cache-control` and `x-amz-meta-source`; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Checksums that it was uploaded with, by header, such as `x-amz-checksum-crc32`. */
  readonly checksums: Readonly<Record<string, string>>;
  read(): Buffer | Promise<Buffer>;
}

/** Objects of a bucket by key. */
export interface Objects {
  has(key: string): boolean;
  get(key: string): StoredObject | undefined;
}

/** S3's own default. */
export const DEFAULT_CONTENT_TYPE = 'binary/octet-stream';

/** As the AWS CLI guesses them on upload. */
const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.woff2': 'font/woff2',
};

/**
 * A file of the cloud assembly as an object.
 * @param metadata system metadata of its deployment
 * @param replace replaces the markers of its source, if that has any
 */
export function deployedObject(
  file: string,
  metadata: Readonly<Record<string, string>>,
  replace: Replace = (content) => content,
): StoredObject {
  const contentType = contentTypes[extname(file)] ?? DEFAULT_CONTENT_TYPE;
  const lastModified = new Date().toUTCString();
  return {
    headers: { 'content-type': contentType, 'last-modified': lastModified, ...metadata },
    checksums: {},
    read: async () => replace(await readFile(file)),
  };
}

/** Entity tag of an object that was uploaded as a whole: Amazon S3 API reference, "Common response headers". */
export function etagOf(content: Buffer): string {
  return `"${createHash('md5').update(content).digest('hex')}"`;
}

/** All files below a folder: key (relative, with slashes) and path. */
export function filesBelow(folder: string): [key: string, file: string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [relative(folder, file).split(sep).join('/'), file]);
}
