/** S3's operations on objects: Amazon S3 API reference, "PutObject", "GetObject", "HeadObject" and "DeleteObject". */
import { failure } from '../aws-endpoint/aws-error';
import type { Charges } from '../billing/meter';
import type { AwsAnswer, AwsApi, AwsCall } from '../service';
import type { BucketPolicy } from './bucket-policy';
import { DEFAULT_CONTENT_TYPE, etagOf, type ObjectStore } from './objects';
import { payloadOf, S3Error } from './payload';

/** A bucket as calls see it. */
export interface ApiBucket {
  readonly objects: ObjectStore;
  readonly policy: BucketPolicy | undefined;
}

interface Operation {
  readonly action: string;
  /** S3 pricing: "PUT, COPY, POST, LIST requests" and "GET, SELECT, and all other requests"; deletions are free. */
  readonly charges: Charges;
  run(objects: ObjectStore, key: string, call: AwsCall): Promise<AwsAnswer>;
}

/** By HTTP method; the server sends no body to HEAD. */
const operations: Readonly<Record<string, Operation>> = {
  PUT: { action: 's3:PutObject', charges: { 's3:putRequests': 1 }, run: put },
  GET: { action: 's3:GetObject', charges: { 's3:getRequests': 1 }, run: get },
  HEAD: { action: 's3:GetObject', charges: { 's3:getRequests': 1 }, run: get },
  DELETE: { action: 's3:DeleteObject', charges: {}, run: remove },
};

/** Headers that would change what a call does. */
const UNSUPPORTED_HEADER =
  /^(range|if-match|if-(un)?modified-since|x-amz-(acl|grant-.*|copy-source.*|tagging|object-lock-.*|expected-bucket-owner|website-redirect-location|write-offset-bytes|server-side-encryption-customer-.*))$/;

/** System metadata that S3 stores and returns. */
const SYSTEM_METADATA = /^(cache-control|content-(disposition|encoding|language|type)|expires)$/;
const USER_METADATA = /^x-amz-meta-/;

/** "Creating object key names": the longest key, in bytes. */
const MAX_KEY_BYTES = 1024;

export const arnOf = (bucket: string) => `arn:aws:s3:::${bucket}`;

/**
 * S3's API for the buckets that `bucketNamed` knows, with path-style addresses, which the SDK uses for an endpoint that is
 * an IP address. Of bucket policies, only what they deny to everyone is evaluated; what else calls may do is up to the
 * policies of the caller. Connections on this machine count as TLS.
 */
export function createS3Api(bucketNamed: (name: string) => ApiBucket | undefined): AwsApi {
  async function run(call: AwsCall): Promise<AwsAnswer> {
    const { bucketName, key, query } = targetOf(call);
    const operation = operations[call.method];
    const refused = Object.keys(call.headers).find((name) => UNSUPPORTED_HEADER.test(name));
    // The SDK names the operation in `x-id`.
    if (!operation || key === '' || !/^(x-id=\w+)?$/.test(query) || refused !== undefined) {
      const what = refused ?? `${call.method} ${call.path}`;
      throw new S3Error(501, 'NotImplemented', `${what} is not supported on this machine`);
    }
    if (key === undefined) throw new S3Error(400, 'InvalidURI', "Couldn't parse the specified URI.");
    const bucket = bucketNamed(bucketName);
    if (!bucket) throw new S3Error(404, 'NoSuchBucket', 'The specified bucket does not exist');
    if (Buffer.byteLength(key) > MAX_KEY_BYTES) throw new S3Error(400, 'KeyTooLongError', 'Your key is too long');
    if (bucket.policy?.denies(operation.action, `${arnOf(bucketName)}/${key}`))
      throw new S3Error(403, 'AccessDenied', 'Access Denied: explicit deny in a resource-based policy');
    return { ...(await operation.run(bucket.objects, key, call)), charges: operation.charges };
  }

  return {
    signingName: 's3',

    permissions(call) {
      const { bucketName, key } = targetOf(call);
      const operation = operations[call.method];
      if (!operation || key === undefined || key === '') return [];
      const { action } = operation;
      const needed = { action, resource: `${arnOf(bucketName)}/${key}` };
      const bucket = bucketNamed(bucketName);
      // Whether an object exists is known only to those who may list the bucket: "GetObject", "Permissions".
      const isMissing = action === 's3:GetObject' && bucket !== undefined && !bucket.objects.has(key);
      return isMissing ? [needed, { action: 's3:ListBucket', resource: arnOf(bucketName) }] : [needed];
    },

    async answer(call) {
      try {
        return await run(call);
      } catch (error) {
        if (error instanceof S3Error) return failure('s3', error.status, error.code, error.message);
        throw error;
      }
    },
  };
}

/** Bucket and key of `/<bucket>/<key>?<query>`; the key is undefined when its percent-encoding is invalid. */
function targetOf({ path }: AwsCall): { bucketName: string; key: string | undefined; query: string } {
  const [, bucketName = '', key = '', query = ''] = /^\/([^/?]*)\/?([^?]*)\??(.*)$/.exec(path) ?? [];
  try {
    return { bucketName, key: decodeURIComponent(key), query };
  } catch {
    return { bucketName, key: undefined, query };
  }
}

function put(objects: ObjectStore, key: string, call: AwsCall): Promise<AwsAnswer> {
  const condition = call.headers['if-none-match'];
  if (condition !== undefined && condition !== '*')
    throw new S3Error(501, 'NotImplemented', 'If-None-Match other than * is not implemented');
  const { content, checksums } = payloadOf(call);
  if (condition === '*' && objects.has(key))
    throw new S3Error(412, 'PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');
  objects.put(key, { headers: metadataOf(call), checksums }, content);
  return answered(200, { etag: etagOf(content), ...typed(checksums) });
}

async function get(objects: ObjectStore, key: string, { headers }: AwsCall): Promise<AwsAnswer> {
  if (headers['if-none-match'] !== undefined)
    throw new S3Error(501, 'NotImplemented', 'If-None-Match of a read is not supported on this machine');
  const found = objects.get(key);
  if (!found) throw new S3Error(404, 'NoSuchKey', 'The specified key does not exist.');
  const content = await found.read();
  const checksums = headers['x-amz-checksum-mode'] === 'ENABLED' ? typed(found.checksums) : {};
  return answered(200, { ...found.headers, ...checksums, etag: etagOf(content), 'accept-ranges': 'bytes' }, content);
}

/** S3 answers in the same way whether there was an object or not. */
function remove(objects: ObjectStore, key: string): Promise<AwsAnswer> {
  objects.delete(key);
  return answered(204, {});
}

function metadataOf({ headers }: AwsCall): Record<string, string> {
  const kept = Object.entries(headers)
    .filter(([name]) => SYSTEM_METADATA.test(name) || USER_METADATA.test(name))
    .map(([name, value]) => [name, name === 'content-encoding' ? withoutChunks(String(value)) : String(value)] as const)
    .filter(([, value]) => value !== '');
  const lastModified = new Date().toUTCString();
  return { 'content-type': DEFAULT_CONTENT_TYPE, ...Object.fromEntries(kept), 'last-modified': lastModified };
}

/** `aws-chunked` says how the content is sent, and is not stored. */
function withoutChunks(encodings: string): string {
  return encodings
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== 'aws-chunked')
    .join(', ');
}

/** Checksums as response headers. All are of whole objects, since there are no uploads in parts. */
function typed(checksums: Readonly<Record<string, string>>): Record<string, string> {
  return Object.keys(checksums).length === 0 ? {} : { ...checksums, 'x-amz-checksum-type': 'FULL_OBJECT' };
}

function answered(status: number, headers: Record<string, string>, body: Buffer | string = ''): Promise<AwsAnswer> {
  return Promise.resolve({ status, headers: { server: 'AmazonS3', ...headers }, body });
}
