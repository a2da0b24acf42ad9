/** A bucket as CloudFront reads it through its REST endpoint: Amazon S3 API reference, "GetObject". */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Origin, Reply } from '../cloudfront';
import type { Objects } from './objects';

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
 * Serves the readable objects. A missing object is 403 like an unreadable one, because S3 answers 404 only to callers
 * with s3:ListBucket.
 */
export function bucketOrigin(objects: Objects, readable: (key: string) => boolean): Origin {
  return {
    async serve({ method, path, headers }) {
      const key = decodeURIComponent(path.replace(/^\//, ''));
      const found = objects.get(key);
      if (!found || !readable(key)) return accessDenied;
      const content = await readFile(found.file);
      const body = found.replace?.(content) ?? content;
      const etag = `"${createHash('md5').update(body).digest('hex')}"`;
      const known = headers.filter(([name]) => name.toLowerCase() === 'if-none-match').map(([, value]) => value);
      const commonHeaders = { etag, 'accept-ranges': 'bytes', server: 'AmazonS3', ...found.headers };
      if (known.includes(etag)) return { status: 304, headers: commonHeaders, body: '' };
      const contentType = contentTypes[extname(key)] ?? 'binary/octet-stream';
      const headers200 = { 'content-type': contentType, ...commonHeaders };
      return { status: 200, headers: headers200, body: method === 'HEAD' ? '' : body };
    },
  };
}

const accessDenied: Reply = {
  status: 403,
  headers: { 'content-type': 'application/xml', server: 'AmazonS3' },
  body: '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
};
