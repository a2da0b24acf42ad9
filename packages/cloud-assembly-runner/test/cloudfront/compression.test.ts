import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { compressed } from '../../cloudfront/compression';

const text = 'drone '.repeat(400);
const reply = (more: object = {}) => ({
  status: 200,
  headers: { 'content-type': 'text/html', ETag: '"abc"' },
  body: text,
  ...more,
});
const both = { gzip: true, brotli: true };
const accepting = (value: string) => [['Accept-Encoding', value]] as const;

describe('CloudFront compression', () => {
  test('uses Brotli if the viewer accepts it', () => {
    const { headers, body } = compressed(reply(), accepting('gzip, deflate, br'), both);
    expect(headers).toEqual({
      'content-type': 'text/html',
      'content-encoding': 'br',
      etag: 'W/"abc"',
      vary: 'Accept-Encoding',
    });
    expect(brotliDecompressSync(Buffer.from(body)).toString()).toBe(text);
  });

  test('uses gzip if only that is accepted or allowed', () => {
    for (const [accepts, allows] of [
      ['gzip', both],
      ['br;q=0, gzip', both],
      ['br, gzip', { gzip: true, brotli: false }],
    ] as const) {
      const { headers, body } = compressed(reply(), accepting(accepts), allows);
      expect(headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(Buffer.from(body)).toString()).toBe(text);
    }
  });

  test.each<[string, object, string, object]>([
    ['a viewer that accepts neither encoding', {}, 'identity', both],
    ['a policy that does not allow it', {}, 'br, gzip', { gzip: false, brotli: false }],
    ['a small body', { body: 'x'.repeat(999) }, 'br', both],
    ['a compressed body', { headers: { 'content-type': 'text/html', 'Content-Encoding': 'gzip' } }, 'br', both],
    ['pictures', { headers: { 'content-type': 'image/png' } }, 'br', both],
    ['a missing content type', { headers: {} }, 'br', both],
    ['a server error', { status: 500 }, 'br', both],
  ])('leaves the reply unchanged for %s', (_, more, accepts, allows) => {
    const given = reply(more);
    expect(compressed(given, accepting(accepts), allows as typeof both)).toBe(given);
  });
});
