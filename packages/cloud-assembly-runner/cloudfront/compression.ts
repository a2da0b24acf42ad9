/** CloudFront developer guide, "Serve compressed files". */
import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Pairs, Reply } from './origin';

export interface Compression {
  readonly gzip: boolean;
  readonly brotli: boolean;
}

/** Compressible content types: those of the guide's list that occur here. */
const compressible =
  /^(text\/(css|csv|html|javascript|js|plain|xml)|application\/(javascript|json|xml|wasm|vnd\.apple\.mpegurl)|image\/svg\+xml|font\/(ttf|otf))(;|$)/;

/** Compressed bodies, by encoding and hash of the content: CloudFront caches them, and large ones take a noticeable time. */
const compressedBodies = new Map<string, Buffer>();
const MAX_COMPRESSED_BODIES = 100;

function compressOnce(encoding: string, body: Buffer, compress: (body: Buffer) => Buffer): Buffer {
  const key = `${encoding} ${createHash('sha256').update(body).digest('base64')}`;
  const known = compressedBodies.get(key);
  if (known) return known;
  const smaller = compress(body);
  const [oldest] = compressedBodies.keys();
  if (compressedBodies.size >= MAX_COMPRESSED_BODIES && oldest !== undefined) compressedBodies.delete(oldest);
  compressedBodies.set(key, smaller);
  return smaller;
}

/**
 * Compresses a reply with an encoding that the viewer accepts, Brotli first. Small and compressed replies stay as they
 * are.
 */
export function compressed(reply: Reply, headers: Pairs, { gzip, brotli }: Compression): Reply {
  const { etag, ...others } = lowerCase(reply.headers);
  const body = Buffer.from(reply.body);
  const accepted = headers.filter(([name]) => name.toLowerCase() === 'accept-encoding').map(([, value]) => value);
  const accepts = (encoding: string) => accepted.some((one) => new RegExp(`\\b${encoding}\\b(?!;q=0)`).test(one));
  if (
    ![200, 403, 404].includes(reply.status) ||
    body.length < 1000 ||
    body.length > 10_000_000 ||
    others['content-encoding'] !== undefined ||
    !compressible.test(String(others['content-type']))
  )
    return reply;
  const as = (encoding: string, smaller: Buffer): Reply => ({
    status: reply.status,
    headers: {
      ...others,
      ...(etag !== undefined && { etag: String(etag).replace(/^(?!W\/)/, 'W/') }),
      'content-encoding': encoding,
      vary: 'Accept-Encoding',
    },
    body: smaller,
  });
  if (brotli && accepts('br')) {
    // A middle level, as CloudFront's replies suggest; the highest takes seconds.
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
    return as(
      'br',
      compressOnce('br', body, (text) => brotliCompressSync(text, { params })),
    );
  }
  return gzip && accepts('gzip') ? as('gzip', compressOnce('gzip', body, gzipSync)) : reply;
}

function lowerCase(headers: Reply['headers']): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
