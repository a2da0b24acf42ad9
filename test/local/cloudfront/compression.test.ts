import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { compressed } from '../../../local/cloudfront/compression';

const text = 'drone '.repeat(400);
const reply = (more: object = {}) => ({
  ...{ status: 200, headers: { 'content-type': 'text/html', ETag: '"abc"' }, body: text },
  ...more,
});
const both = { gzip: true, brotli: true };
const accepting = (value: string) => [['Accept-Encoding', value]] as const;

describe('CloudFront compresses', () => {
  it('with Brotli when the viewer accepts it', () => {
    const { headers, body } = compressed(reply(), accepting('gzip, deflate, br'), both);
    expect(headers).toEqual({
      'content-type': 'text/html',
      'content-encoding': 'br',
      ...{ etag: 'W/"abc"', vary: 'Accept-Encoding' },
    });
    expect(brotliDecompressSync(Buffer.from(body)).toString()).toBe(text);
  });

  it('with gzip when that is all that is accepted, or allowed', () => {
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

  it.each<[string, object, string, object]>([
    ['for a viewer that accepts neither', {}, 'identity', both],
    ['without a policy that allows it', {}, 'br, gzip', { gzip: false, brotli: false }],
    ['what is small', { body: 'x'.repeat(999) }, 'br', both],
    ['what is compressed', { headers: { 'content-type': 'text/html', 'Content-Encoding': 'gzip' } }, 'br', both],
    ['pictures', { headers: { 'content-type': 'image/png' } }, 'br', both],
    ['what has no type', { headers: {} }, 'br', both],
    ['errors of the server', { status: 500 }, 'br', both],
  ])('nothing %s', (_, more, accepts, allows) => {
    const given = reply(more);
    expect(compressed(given, accepting(accepts), allows as typeof both)).toBe(given);
  });
});
