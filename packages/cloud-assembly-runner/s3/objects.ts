import { readdirSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { replaceFile, withDiskCheck } from '../data-folder/atomic-file';

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

const encoding = z.enum(['LITERAL', 'UNQUOTED_JSON_VALUE', 'JSON_VALUE'], {
  error: 'this encoding of a marker is not supported on this machine',
});

/** How the values of a source are written; by default as they are. */
export const markersConfig = z.object({
  jsonEscape: z.coerce.string().optional(),
  markerEncodings: z.record(z.string(), encoding).default({}),
});

/** Returns the content of an object with all markers replaced. */
type Replace = (content: Buffer) => Buffer;

/**
 * Replaces the markers in deployed files, which stand for values that are known only at deployment: the CDK's
 * `Source.data()` and `Source.jsonData()`, and the function behind `Custom::CDKBucketDeployment`.
 * @returns undefined for a source without markers, whose files stay as they are
 */
export function replaceMarkers(
  markers: Readonly<Record<string, string>> = {},
  config: z.infer<typeof markersConfig> = { markerEncodings: {} },
): Replace | undefined {
  const byDefault = config.jsonEscape?.toLowerCase() === 'true' ? 'UNQUOTED_JSON_VALUE' : 'LITERAL';
  const values = Object.entries(markers).map(
    ([marker, value]) => [marker, encoded(value, config.markerEncodings[marker] ?? byDefault)] as const,
  );
  if (values.length === 0) return undefined;
  return (content) =>
    Buffer.from(values.reduce((text, [marker, value]) => text.replaceAll(marker, () => value), content.toString()));
}

function encoded(value: string, as: z.infer<typeof encoding>): string {
  if (as === 'LITERAL') return value;
  const json = JSON.stringify(value);
  return as === 'JSON_VALUE' ? json : json.slice(1, -1);
}

/** First line of a file: everything but the content. The key is for whoever looks into the folder. */
const head = z.object({
  key: z.string(),
  headers: z.record(z.string(), z.string()),
  checksums: z.record(z.string(), z.string()),
});

const NEWLINE = 0x0a;

/** Objects that calls put into a bucket, kept in the data folder. */
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
