import { livePlaylist, masterPlaylist, segmentStart } from '../../kinesis-video/playlist';

const seconds = [2, 1, 2];
/** The numbers of the segments in a live playlist. */
const listed = (playlist: string) =>
  [...playlist.matchAll(/FragmentNumber=(\d+)/g)].map(([, number]) => number).join(' ');
const tag = (playlist: string, name: string) => new RegExp(`^#EXT-X-${name}:(.*)$`, 'm').exec(playlist)?.[1];

describe('The playlist of live video', () => {
  test('lists the latest segments and the initialisation segment', () => {
    expect(livePlaylist('secret', seconds, 3, 13_500)).toBe(
      [
        '#EXTM3U',
        '#EXT-X-VERSION:6',
        '#EXT-X-TARGETDURATION:2',
        '#EXT-X-MEDIA-SEQUENCE:5',
        '#EXT-X-MAP:URI="getMP4InitFragment.mp4?SessionToken=secret"',
        '#EXTINF:2.000,',
        'getMP4MediaFragment.mp4?FragmentNumber=5&SessionToken=secret',
        '#EXTINF:2.000,',
        'getMP4MediaFragment.mp4?FragmentNumber=6&SessionToken=secret',
        '#EXTINF:1.000,',
        'getMP4MediaFragment.mp4?FragmentNumber=7&SessionToken=secret',
        '',
      ].join('\n'),
    );
  });

  test.each([
    [10_000, '3 4 5'],
    [11_999, '3 4 5'],
    [12_000, '4 5 6'],
    [12_999, '4 5 6'],
    [13_000, '5 6 7'],
    [15_000, '6 7 8'],
  ])('advances with the clock: at %i ms it lists %s', (now, segments) => {
    const playlist = livePlaylist('t', seconds, 3, now);
    expect(listed(playlist)).toBe(segments);
    expect(tag(playlist, 'MEDIA-SEQUENCE')).toBe(/\d+/.exec(segments)?.[0]);
  });

  test('has contiguous segments', () => {
    expect([0, 1, 2, 3, 4, 7].map((number) => segmentStart(number, seconds))).toEqual([0, 2, 3, 5, 7, 12]);
  });

  test('may be longer than the clip', () => {
    expect(listed(livePlaylist('t', seconds, 5, 15_000))).toBe('4 5 6 7 8');
  });

  test('is listed in a master playlist with its bandwidth', () => {
    expect(masterPlaylist('secret', 1000)).toBe(
      '#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-STREAM-INF:BANDWIDTH=1000\ngetHLSMediaPlaylist.m3u8?SessionToken=secret\n',
    );
  });
});
