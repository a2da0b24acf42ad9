/** HLS playlists (RFC 8216) in the form that Kinesis Video Streams gives them: developer guide, "HLS playback". */

/** How an address says which session it belongs to. */
export const TOKEN = 'SessionToken';

export const paths = {
  master: '/hls/v1/getHLSMasterPlaylist.m3u8',
  media: '/hls/v1/getHLSMediaPlaylist.m3u8',
  init: '/hls/v1/getMP4InitFragment.mp4',
  fragment: '/hls/v1/getMP4MediaFragment.mp4',
} as const;

/** The list of the one media playlist that there is. */
export function masterPlaylist(token: string, bitsPerSecond: number): string {
  return lines(`#EXT-X-STREAM-INF:BANDWIDTH=${bitsPerSecond}`, address('media', token));
}

/**
 * What is live at a moment: the last segments of a clip that has been playing in a loop since 1970.
 * @param seconds how long each segment of the clip plays
 * @param count how many segments are listed
 * @param now Unix milliseconds
 */
export function livePlaylist(token: string, seconds: readonly number[], count: number, now: number): string {
  const end = segmentsBefore(seconds, now);
  const numbers = Array.from({ length: count }, (_, index) => end - count + index);
  const first = numbers[0] ?? end;
  return lines(
    `#EXT-X-TARGETDURATION:${Math.ceil(Math.max(...seconds))}`,
    `#EXT-X-MEDIA-SEQUENCE:${first}`,
    `#EXT-X-MAP:URI="${address('init', token)}"`,
    ...numbers.flatMap((number) => [
      `#EXTINF:${(seconds[number % seconds.length] ?? 0).toFixed(3)},`,
      address('fragment', token, { FragmentNumber: String(number) }),
    ]),
  );
}

/** When a segment begins, in seconds since 1970. */
export function startOf(number: number, seconds: readonly number[]): number {
  const sum = (some: readonly number[]) => some.reduce((total, one) => total + one, 0);
  return Math.floor(number / seconds.length) * sum(seconds) + sum(seconds.slice(0, number % seconds.length));
}

/** How many segments have ended by then. */
function segmentsBefore(seconds: readonly number[], now: number): number {
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

/** Beside the playlist that names it. */
function address(what: keyof typeof paths, token: string, more: Record<string, string> = {}): string {
  const name = paths[what].slice(paths[what].lastIndexOf('/') + 1);
  return `${name}?${new URLSearchParams({ ...more, [TOKEN]: token }).toString()}`;
}

function lines(...tags: string[]): string {
  return ['#EXTM3U', '#EXT-X-VERSION:6', ...tags, ''].join('\n');
}
