import { inBatches } from '../../../lambdas/sockets/followers';
import { fc } from '../../property-runs';

const MAX = 32 * 1024;
/** What surrounds the samples of a batch, with the comma that the first one lacks. */
const FRAME = Buffer.byteLength('{"type":"device.telemetry.batch","samples":[]}');
const PIECE = Buffer.byteLength('{"note":""}');
/** A message of so many bytes. */
const ofBytes = (bytes: number, character = 'a') => JSON.stringify({ note: character.repeat(bytes - PIECE) });
interface Batch {
  readonly type: string;
  readonly samples: readonly object[];
}
/** The messages in what was packed, in order. */
const unpacked = (batches: readonly string[]) =>
  batches.flatMap((batch) => {
    const message = JSON.parse(batch) as Batch;
    return message.type === 'device.telemetry.batch' ? message.samples.map((each) => JSON.stringify(each)) : [batch];
  });

describe('inBatches', () => {
  test('packs messages into one, in their order', () => {
    expect(inBatches(['{"n":1}', '{"n":2}', '{"n":3}'])).toEqual([
      '{"type":"device.telemetry.batch","samples":[{"n":1},{"n":2},{"n":3}]}',
    ]);
  });

  test('leaves a single message as it is', () => {
    expect(inBatches(['{"n":1}'])).toEqual(['{"n":1}']);
  });

  test('packs no message into none', () => {
    expect(inBatches([])).toEqual([]);
  });

  test('fills a batch to 32 kB, and begins another one for what is beyond', () => {
    const half = (MAX - FRAME - 2) / 2;
    const [all = '', ...others] = inBatches([ofBytes(Math.floor(half)), ofBytes(Math.ceil(half))]);
    expect(others).toEqual([]);
    expect(MAX - Buffer.byteLength(all)).toBe(1);
    const more = inBatches([ofBytes(Math.floor(half)), ofBytes(Math.ceil(half) + 1), '{}']);
    expect(more).toHaveLength(2);
    expect(unpacked(more)).toHaveLength(3);
  });

  test('counts bytes, not characters', () => {
    // 10,000 characters of three bytes.
    const wide = JSON.stringify({ note: '€'.repeat(10_000) });
    expect(inBatches([wide, wide])).toEqual([wide, wide]);
  });

  test('sends a message alone that is larger than a batch, and those around it in batches', () => {
    const large = ofBytes(MAX + 1);
    expect(inBatches(['{"n":1}', '{"n":2}', large, '{"n":3}', '{"n":4}'])).toEqual([
      '{"type":"device.telemetry.batch","samples":[{"n":1},{"n":2}]}',
      large,
      '{"type":"device.telemetry.batch","samples":[{"n":3},{"n":4}]}',
    ]);
  });

  test('loses, repeats and reorders none, exceeds 32 kB with none that fits alone, and leaves no two that fit together', () => {
    const text = fc.tuple(fc.integer({ min: PIECE, max: MAX + 100 }), fc.constantFrom('a', 'é', '€'));
    const textOf = ([bytes, character]: [number, string]) => ofBytes(bytes, character);
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), (all) => {
        const texts = all.map(textOf);
        const batches = inBatches(texts);
        expect(unpacked(batches)).toEqual(texts);
        for (const batch of batches)
          if (unpacked([batch]).length > 1) expect(Buffer.byteLength(batch)).toBeLessThanOrEqual(MAX);
        const sizes = batches.map((batch) => unpacked([batch]).map((each) => Buffer.byteLength(each) + 1));
        sizes.slice(1).forEach(([first = 0], index) => {
          const before = (sizes[index] ?? []).reduce((sum, each) => sum + each, FRAME);
          expect(before + first).toBeGreaterThan(MAX);
        });
      }),
    );
  });
});
