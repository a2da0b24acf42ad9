/** A bucket as CloudFront reads it through its REST endpoint: Amazon S3 API reference, "GetObject". */
import type { Origin, Reply } from '../cloudfront';
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

/** Longer than a build takes on a busy machine; a browser waits for five minutes. */
const WAITING_LIMIT_MS = 180_000;

/** A deployment of files that the assembly does not have yet: `npm start` of an app builds them while the stack runs. */
export interface LateDeployment {
  /** Keys of its objects begin with it. */
  readonly prefix: string;
  /** Resolves with whether its objects are there. Never rejects. */
  readonly deployed: Promise<boolean>;
}

/** @param deploy adds the objects when the assembly is complete; throws when it still lacks them */
export function lateDeployment(prefix: string, completed: Promise<boolean>, deploy: () => void): LateDeployment {
  const deployed = completed.then((isComplete) => {
    if (!isComplete) return false;
    deploy();
    return true;
  });
  return {
    prefix,
    deployed: deployed.catch((error: unknown) => {
      console.error(error instanceof Error ? error.message : String(error));
      return false;
    }),
  };
}

/**
 * Waits for the deployments that may have an object.
 * @returns the reply to a request for one that does not come, or not in time
 */
export async function awaitObject(
  key: string,
  late: readonly LateDeployment[],
  limitMs = WAITING_LIMIT_MS,
): Promise<Reply | undefined> {
  const deployments = late.filter(({ prefix }) => key.startsWith(prefix)).map(({ deployed }) => deployed);
  if (deployments.length === 0) return undefined;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), limitMs);
  });
  const outcome = await Promise.race([Promise.all(deployments), limit]);
  clearTimeout(timer);
  if (outcome === 'late') return notBuilt('These files are still being built. Load the page again in a minute.');
  return outcome.every(Boolean)
    ? undefined
    : notBuilt('These files could not be built: the terminal of the stack says why.');
}

const notBuilt = (text: string): Reply => ({
  status: 503,
  headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  body: `<!DOCTYPE html><title>503</title><h1>503</h1><p>${text}</p>`,
});
