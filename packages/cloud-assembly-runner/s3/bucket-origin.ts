/** A bucket as CloudFront reads it through its REST endpoint: Amazon S3 API reference, "GetObject". */
import type { Origin, Reply } from '../cloudfront';
import { awaitObject, type LateDeployment } from './late-deployment';
import { etagOf, type Objects } from './objects';

/**
 * Serves the readable objects. A missing object is 403 like an unreadable one, because S3 answers 404 only to callers
 * with s3:ListBucket.
 * @param late deployments whose objects a request waits for
 */
export function bucketOrigin(
  objects: Objects,
  readable: (key: string) => boolean,
  late: readonly LateDeployment[] = [],
): Origin {
  return {
    async serve({ method, path, headers }) {
      const key = decodeURIComponent(path.replace(/^\//, ''));
      const refusal = objects.has(key) ? undefined : await awaitObject(key, late);
      if (refusal) return refusal;
      const found = objects.get(key);
      if (!found || !readable(key)) return accessDenied;
      const body = await found.read();
      const etag = etagOf(body);
      const known = headers.filter(([name]) => name.toLowerCase() === 'if-none-match').map(([, value]) => value);
      const commonHeaders = { etag, 'accept-ranges': 'bytes', server: 'AmazonS3', ...found.headers };
      if (known.includes(etag)) return { status: 304, headers: commonHeaders, body: '' };
      return { status: 200, headers: commonHeaders, body: method === 'HEAD' ? '' : body };
    },
  };
}

const accessDenied: Reply = {
  status: 403,
  headers: { 'content-type': 'application/xml', server: 'AmazonS3' },
  body: '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
};
