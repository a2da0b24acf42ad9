/** HLS playlists (RFC 8216) as Kinesis Video Streams writes them: developer guide, "HLS playback". */

/** Query parameter with the session token. */
export const TOKEN_PARAMETER = 'SessionToken';

export const paths = {
  master: '/hls/v1/getHLSMasterPlaylist.m3u8',
  media: '/hls/v1/getHLSMediaPlaylist.m3u8',
  init: '/hls/v1/getMP4InitFragment.mp4',
  fragment: '/hls/v1/getMP4MediaFragment.mp4',
} as const;

/** Master playlist with one media playlist. */
export function masterPlaylist(token: string, bitsPerSecond: number): string {
  return lines(`#EXT-X-STREAM-INF:BANDWIDTH=${bitsPerSecond}`, uri('media', token));
}

/**
 * Media playlist with the latest segments of a clip that has been playing in a loop since 1970.
 * @param seconds duration of each segment of the clip
 * @param count number of segments to list
 * @param now in Unix ms
 */
export function livePlaylist(token: string, seconds: readonly number[], count: number, now: number): string {
  const end = endedSegments(seconds, now);
  const numbers = Array.from({ length: count }, (_, index) => end - count + index);
  const first = numbers[0] ?? end;
  return lines(
    `#EXT-X-TARGETDURATION:${Math.ceil(Math.max(...seconds))}`,
    `#EXT-X-MEDIA-SEQUENCE:${first}`,
    `#EXT-X-MAP:URI="${uri('init', token)}"`,
    ...numbers.flatMap((number) => [
      `#EXTINF:${(seconds[number % seconds.length] ?? 0).toFixed(3)},`,
      uri('fragment', token, { FragmentNumber: String(number) }),
    ]),
  );
}

/** Start of a segment in Unix seconds. */
export function segmentStart(number: number, seconds: readonly number[]): number {
  const sum = (some: readonly number[]) => some.reduce((total, one) => total + one, 0);
  return Math.floor(number / seconds.length) * sum(seconds) + sum(seconds.slice(0, number % seconds.length));
}

/** Number of segments that have ended by `now`. */
function endedSegments(seconds: readonly number[], now: number): number {
  const round = seconds.reduce((sum, one) => sum + one, 0);
  const rounds = Math.floor(now / 1000 / round);
  let left = now / 1000 - rounds * round;
  let ended = 0;
  for (const one of seconds) {
    left -= one;
    if (left < 0) break;
    ended += 1;
  }
  return rounds * seconds.length + ended;
}

/** URI relative to the playlist. */
function uri(what: keyof typeof paths, token: string, more: Record<string, string> = {}): string {
  const name = paths[what].slice(paths[what].lastIndexOf('/') + 1);
  return `${name}?${new URLSearchParams({ ...more, [TOKEN_PARAMETER]: token }).toString()}`;
}

function lines(...tags: string[]): string {
  return ['#EXTM3U', '#EXT-X-VERSION:6', ...tags, ''].join('\n');
}
