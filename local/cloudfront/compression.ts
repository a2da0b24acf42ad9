/** CloudFront developer guide, "Serve compressed files". */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Pairs, Reply } from './origin';

export interface Compression {
  readonly gzip: boolean;
  readonly brotli: boolean;
}

/** Content types that are compressed, of the list in the guide those that occur here. */
const compressible =
  /^(text\/(css|csv|html|javascript|js|plain|xml)|application\/(javascript|json|xml|wasm|vnd\.apple\.mpegurl)|image\/svg\+xml|font\/(ttf|otf))(;|$)/;

/** Compresses a reply as the viewer accepts it, Brotli first; leaves small ones and those that are compressed. */
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
    // A middle level, as CloudFront's replies suggest: the highest takes seconds.
    return as('br', brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }));
  }
  return gzip && accepts('gzip') ? as('gzip', gzipSync(body)) : reply;
}

function lowerCase(headers: Reply['headers']): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
