import { readClip, segmentAt } from '../../kinesis-video/clip';

const clip = readClip();
/** Offset of a box's content, behind its name. */
const contentOf = (bytes: Buffer, name: string) => {
  const at = bytes.indexOf(name);
  if (at < 0) throw new Error(`no box ${name}`);
  return at + name.length;
};

describe('The clip that every stream plays', () => {
  test('is H.264 of the profile Main, which every browser plays, 640 × 360, without sound', () => {
    const [sample, tracks] = [contentOf(clip.init, 'avc1'), clip.init.toString('latin1').split('tkhd').length - 1];
    // VisualSampleEntry (ISO/IEC 14496-12, 12.1.3): the size comes after 24 bytes.
    expect([clip.init.readUInt16BE(sample + 24), clip.init.readUInt16BE(sample + 26)]).toEqual([640, 360]);
    // AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1): version, then profile 77.
    expect([...clip.init.subarray(contentOf(clip.init, 'avcC')).subarray(0, 2)]).toEqual([1, 77]);
    expect(tracks).toBe(1);
  });

  test('has segments of two seconds, sixteen in all, in at most 1.5 MB', () => {
    expect(clip.segments.map(({ seconds }) => seconds)).toEqual(Array(8).fill(2));
    const bytes = clip.segments.reduce((sum, segment) => sum + segment.bytes.length, clip.init.length);
    expect(bytes).toBeLessThan(1_500_000);
  });

  test('can be played from each segment: it begins with a key frame', () => {
    for (const { bytes } of clip.segments) {
      expect(bytes.toString('latin1', 4, 8)).toBe('styp');
      // Flags of the first frame (ISO/IEC 14496-12, 8.8.8): it depends on no other, and is a key frame.
      const run = contentOf(bytes, 'trun');
      expect(bytes.readUInt32BE(run) & 0x000005).toBe(0x000005);
      expect(bytes.readUInt32BE(run + 12)).toBe(0x02000000);
    }
  });

  test('gets the decode time of its place in the live stream', () => {
    const [segment] = clip.segments;
    if (!segment) throw new Error('the clip is empty');
    const moved = segmentAt(segment, 1000);
    expect(moved.readBigUInt64BE(contentOf(moved, 'tfdt') + 4)).toBe(15_360_000n);
    expect(moved).toHaveLength(segment.bytes.length);
  });
});
