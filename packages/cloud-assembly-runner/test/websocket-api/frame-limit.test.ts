import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { watchFrames } from '../../websocket-api/frame-limit';

/** A masked frame. */
function frame(length: number): Buffer {
  const extended = length > 0xffff ? 8 : length > 125 ? 2 : 0;
  const bytes = Buffer.alloc(2 + extended + 4 + length, 0xff);
  bytes[0] = 0x81;
  bytes[1] = 0x80 | (extended === 8 ? 127 : extended === 2 ? 126 : length);
  if (extended === 8) bytes.writeBigUInt64BE(BigInt(length), 2);
  if (extended === 2) bytes.writeUInt16BE(length, 2);
  return bytes;
}

/** Number of `onTooLong` calls for these frames in chunks of these sizes. */
async function calls(lengths: number[], sizes: number[], limit: number): Promise<number> {
  const source = new PassThrough();
  let count = 0;
  watchFrames(source, limit, () => count++);
  source.resume();
  let left = Buffer.concat(lengths.map(frame));
  for (let turn = 0; left.length > 0; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    source.write(left.subarray(0, size));
    left = left.subarray(size);
    await new Promise(setImmediate);
  }
  return count;
}

describe('The frame limit', () => {
  const chunks = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 });

  test('accepts frames within the limit, for any chunks', async () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(lengths, chunks, async (frames, sizes) => {
        expect(await calls(frames, sizes, 300)).toBe(0);
      }),
      { numRuns: 50 },
    );
  });

  test('reports a frame that is too long once, at any position and for any chunks', async () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 3 });
    const tooLong = fc.constantFrom(201, 0xffff, 0x1_0000);
    const big = fc.array(fc.integer({ min: 500, max: 9_000 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(lengths, tooLong, lengths, big, async (before, long, after, sizes) => {
        expect(await calls([...before, long, ...after], sizes, 200)).toBe(1);
      }),
      { numRuns: 50 },
    );
  });
});
