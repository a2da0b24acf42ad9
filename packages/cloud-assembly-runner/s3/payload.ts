/**
 * The content of an upload and its checksums: Amazon S3 user guide, "Checking object integrity for data uploads in Amazon
 * S3", and API reference, "Signature calculations for the Authorization header: transferring payload in multiple chunks".
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { AwsCall } from '../service';

export interface Payload {
  readonly content: Buffer;
  /** By header, such as `x-amz-checksum-crc32`; base64. */
  readonly checksums: Readonly<Record<string, string>>;
}

const hash = (name: string) => (content: Buffer) => createHash(name).update(content).digest();

/** Checksums of S3 that need no library. */
const algorithms: Readonly<Record<string, (content: Buffer) => Buffer>> = {
  'x-amz-checksum-crc32': (content) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(crc32(content));
    return bytes;
  },
  'x-amz-checksum-sha1': hash('sha1'),
  'x-amz-checksum-sha256': hash('sha256'),
};

/**
 * Reads the content, which may come in chunks, and verifies the checksums that come with it, as headers or as trailers.
 * @throws S3Error BadDigest for a wrong checksum, IncompleteBody for missing bytes, NotImplemented for another algorithm
 */
export function payloadOf({ headers, body }: AwsCall): Payload {
  const isChunked = String(headers['x-amz-content-sha256']).startsWith('STREAMING-');
  const { content, trailers } = isChunked ? unchunked(body) : { content: body, trailers: {} };
  const length = headers['x-amz-decoded-content-length'];
  if (isChunked && length !== undefined && Number(length) !== content.length) throw incomplete();
  const md5 = headers['content-md5'];
  if (md5 !== undefined && md5 !== hash('md5')(content).toString('base64')) throw badDigest('Content-MD5');
  const checksums = checksumsIn({ ...headers, ...trailers });
  for (const [name, value] of Object.entries(checksums)) {
    const digest = algorithms[name];
    if (!digest) throw new S3Error(501, 'NotImplemented', `${name} is not supported on this machine`);
    if (digest(content).toString('base64') !== value)
      throw badDigest(name.replace('x-amz-checksum-', '').toUpperCase());
  }
  return { content, checksums };
}

function checksumsIn(headers: AwsCall['headers']): Record<string, string> {
  const found = Object.entries(headers).filter(([name]) => /^x-amz-checksum-(crc|sha|md5|xxh)/.test(name));
  return Object.fromEntries(found.map(([name, value]) => [name, String(value)]));
}

/** Each chunk is its length in hexadecimal, perhaps with a signature, and its bytes; trailers follow the last, empty one. */
function unchunked(body: Buffer): { content: Buffer; trailers: Record<string, string> } {
  const chunks: Buffer[] = [];
  for (let position = 0; ;) {
    const end = body.indexOf('\r\n', position);
    const size = end < 0 ? NaN : Number.parseInt(body.toString('latin1', position, end), 16);
    const start = end + 2;
    if (!(size >= 0) || start + size > body.length) throw incomplete();
    if (size === 0) return { content: Buffer.concat(chunks), trailers: trailersIn(body.toString('latin1', start)) };
    chunks.push(body.subarray(start, start + size));
    position = start + size + 2;
  }
}

function trailersIn(text: string): Record<string, string> {
  const pairs = Array.from(text.matchAll(/^([^:\r\n]+):[ ]*(.*?)\r?$/gm), ([, name = '', value = '']) => [name, value]);
  return Object.fromEntries(pairs.map(([name = '', value]) => [name.toLowerCase(), value])) as Record<string, string>;
}

function incomplete(): S3Error {
  return new S3Error(400, 'IncompleteBody', 'The request body terminated unexpectedly');
}

function badDigest(what: string): S3Error {
  return new S3Error(400, 'BadDigest', `The ${what} you specified did not match the calculated checksum.`);
}

/** Error of a call: Amazon S3 API reference, "Error responses". */
export class S3Error extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
