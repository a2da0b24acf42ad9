/**
 * Serves a clip to holders of session URLs, with HLS playlists (RFC 8216) as Kinesis Video Streams writes them: developer
 * guide, "HLS playback".
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KEEP_ALIVE_MS } from '../keep-alive';
import { segmentAt, type Clip } from './clip';

export interface SessionOptions {
  readonly seconds: number;
  /** Number of segments in its playlist. */
  readonly segments: number;
}

/** Serves a clip as live video to everyone with a session URL. */
export interface MediaServer {
  /** Such as `http://127.0.0.1:41234`. */
  readonly origin: string;
  /** Starts a session. @returns URL of its master playlist */
  open(options: SessionOptions): string;
  stop(): Promise<void>;
}

interface Session extends SessionOptions {
  /** In Unix ms. */
  readonly endsAt: number;
}

const PLAYLIST = 'application/vnd.apple.mpegurl';

/** Listens on a free port of loopback. */
export async function startMediaServer(clip: Clip): Promise<MediaServer> {
  const sessions = new Map<string, Session>();
  const seconds = clip.segments.map((one) => one.seconds);
  const bytes = clip.segments.reduce((sum, one) => sum + one.bytes.length, 0);
  const bitsPerSecond = Math.ceil((bytes * 8) / seconds.reduce((sum, one) => sum + one, 0));

  /** Content of a session URL; undefined for an unknown path. */
  function contentAt(url: URL, token: string, session: Session): [type: string, content: string | Buffer] | undefined {
    switch (url.pathname) {
      case paths.master:
        return [PLAYLIST, masterPlaylist(token, bitsPerSecond)];
      case paths.media:
        return [PLAYLIST, livePlaylist(token, seconds, session.segments, Date.now())];
      case paths.init:
        return ['video/mp4', clip.init];
      case paths.fragment: {
        const number = Number(url.searchParams.get('FragmentNumber'));
        const segment = clip.segments[number % seconds.length];
        return segment && ['video/mp4', segmentAt(segment, segmentStart(number, seconds))];
      }
      default:
        return undefined;
    }
  }

  function serve(request: IncomingMessage, response: ServerResponse): void {
    // The page is from another origin, as in AWS.
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('cache-control', 'no-store');
    const url = new URL(request.url ?? '/', 'http://video');
    const token = url.searchParams.get(TOKEN_PARAMETER) ?? '';
    const session = sessions.get(token);
    if (request.method === 'OPTIONS') {
      response.writeHead(204, { 'access-control-allow-methods': 'GET', 'access-control-allow-headers': '*' }).end();
    } else if (!session || session.endsAt <= Date.now()) {
      response.writeHead(403).end();
    } else {
      const [type, content] = contentAt(url, token, session) ?? [];
      if (type === undefined) response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': type }).end(content);
    }
  }

  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, serve);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    origin,
    open(options) {
      const now = Date.now();
      for (const [token, { endsAt }] of sessions) if (endsAt <= now) sessions.delete(token);
      const token = randomBytes(32).toString('base64url');
      sessions.set(token, { ...options, endsAt: now + options.seconds * 1000 });
      return `${origin}${paths.master}?${TOKEN_PARAMETER}=${token}`;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** HLS playlists (RFC 8216) as Kinesis Video Streams writes them: developer guide, "HLS playback". */

/** Query parameter with the session token. */
const TOKEN_PARAMETER = 'SessionToken';

const paths = {
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
