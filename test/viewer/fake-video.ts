import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';

export interface FakeVideo {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The address of a new session. */
  session(): string;
  /** Sessions whose playlist was asked for, in order of the first time. */
  readonly played: readonly string[];
  /** Lets all sessions so far run out. */
  expire(): void;
  stop(): Promise<void>;
}

const CLIP = join(__dirname, '../../local/kinesis-video/clip');
const SECONDS = 2;
const SEGMENTS = 3;
/** Of the clip's clock. */
const TICKS = 15_360;
/** The stream has been running for an hour. */
const BEGAN_AT = Date.now() - 3_600_000;

/** Plays the test clip over HLS as a live stream without an end, as Kinesis Video Streams plays one. */
export async function startFakeVideo(): Promise<FakeVideo> {
  const played: string[] = [];
  const valid = new Set<string>();
  let sessions = 0;

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const name = basename(pathname);
    response.setHeader('access-control-allow-origin', '*');
    if (name !== 'live.m3u8') {
      response.setHeader('content-type', 'video/mp4');
      const number = Number(/^segment-(\d+)/.exec(name)?.[1] ?? 0);
      readFile(join(CLIP, name.replace(/-\d+/, `-${number % SEGMENTS}`))).then(
        (content) => {
          const at = content.indexOf('tfdt');
          if (at > 0) content.writeBigUInt64BE(BigInt(number * SECONDS * TICKS), at + 8);
          response.end(content);
        },
        () => response.writeHead(404).end(),
      );
      return;
    }
    const session = searchParams.get('SessionToken') ?? '';
    if (!valid.has(session)) return void response.writeHead(403).end();
    if (!played.includes(session)) played.push(session);
    response.setHeader('content-type', 'application/vnd.apple.mpegurl');
    response.end(playlist());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ url, played },
    session() {
      const session = `session-${++sessions}`;
      valid.add(session);
      return `${url}/live.m3u8?SessionToken=${session}`;
    },
    expire: () => valid.clear(),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The last segments of a stream that began long ago. */
function playlist(): string {
  const newest = Math.floor((Date.now() - BEGAN_AT) / 1000 / SECONDS);
  const first = newest - 4;
  const segments = Array.from({ length: 5 }, (_, index) => first + index).flatMap((number) => [
    ...[`#EXTINF:${SECONDS}.0,`, `segment-${number}.m4s`],
  ]);
  return [
    ...['#EXTM3U', '#EXT-X-VERSION:7', `#EXT-X-TARGETDURATION:${SECONDS}`, `#EXT-X-MEDIA-SEQUENCE:${first}`],
    ...['#EXT-X-MAP:URI="init.mp4"', ...segments, ''],
  ].join('\n');
}
