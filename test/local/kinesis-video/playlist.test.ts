import { livePlaylist, masterPlaylist } from '../../../local/kinesis-video/playlist';

const seconds = [2, 1, 2];
/** The numbers of the segments in a live playlist, a bar where it says that there is a discontinuity. */
const listed = (playlist: string) =>
  playlist
    .split('\n')
    .flatMap((line) => (line === '#EXT-X-DISCONTINUITY' ? ['|'] : (/FragmentNumber=(\d+)/.exec(line)?.[1] ?? [])))
    .join(' ');
const tag = (playlist: string, name: string) => new RegExp(`^#EXT-X-${name}:(.*)$`, 'm').exec(playlist)?.[1];

describe('The playlist of live video', () => {
  it('lists the last segments that have been played, with what a player needs before them', () => {
    expect(livePlaylist('secret', seconds, 3, 13_500)).toBe(
      [
        '#EXTM3U',
        '#EXT-X-VERSION:6',
        '#EXT-X-TARGETDURATION:2',
        '#EXT-X-MEDIA-SEQUENCE:5',
        '#EXT-X-DISCONTINUITY-SEQUENCE:2',
        '#EXT-X-MAP:URI="getMP4InitFragment.mp4?SessionToken=secret"',
        '#EXTINF:2.000,',
        'getMP4MediaFragment.mp4?FragmentNumber=5&SessionToken=secret',
        '#EXT-X-DISCONTINUITY',
        '#EXTINF:2.000,',
        'getMP4MediaFragment.mp4?FragmentNumber=6&SessionToken=secret',
        '#EXTINF:1.000,',
        'getMP4MediaFragment.mp4?FragmentNumber=7&SessionToken=secret',
        '',
      ].join('\n'),
    );
  });

  it.each([
    [10_000, '| 3 4 5', '1'],
    [11_999, '| 3 4 5', '1'],
    [12_000, '4 5 | 6', '2'],
    [12_999, '4 5 | 6', '2'],
    [13_000, '5 | 6 7', '2'],
    [15_000, '| 6 7 8', '2'],
  ])('goes on with the clock: at %i ms it holds %s', (now, segments, discontinuities) => {
    const playlist = livePlaylist('t', seconds, 3, now);
    expect(listed(playlist)).toBe(segments);
    expect(tag(playlist, 'MEDIA-SEQUENCE')).toBe(/\d+/.exec(segments)?.[0]);
    expect(tag(playlist, 'DISCONTINUITY-SEQUENCE')).toBe(discontinuities);
  });

  it('gives each segment the same discontinuity number for as long as it is listed', () => {
    const numbers = new Map<string, Set<number>>();
    for (let now = 100_000; now < 130_000; now += 500) {
      const playlist = livePlaylist('t', seconds, 7, now);
      let discontinuity = Number(tag(playlist, 'DISCONTINUITY-SEQUENCE'));
      for (const one of listed(playlist).split(' ')) {
        if (one === '|') discontinuity += 1;
        else numbers.set(one, (numbers.get(one) ?? new Set()).add(discontinuity));
      }
    }
    expect(numbers.size).toBeGreaterThan(15);
    expect([...numbers.values()].filter(({ size }) => size !== 1)).toEqual([]);
  });

  it('may be longer than the clip', () => {
    expect(listed(livePlaylist('t', seconds, 5, 15_000))).toBe('4 5 | 6 7 8');
  });

  it('is named by another one, which says how much comes through', () => {
    expect(masterPlaylist('secret', 1000)).toBe(
      '#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-STREAM-INF:BANDWIDTH=1000\ngetHLSMediaPlaylist.m3u8?SessionToken=secret\n',
    );
  });
});
