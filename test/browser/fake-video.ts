import { join } from 'node:path';
import { readClip } from '../../local/kinesis-video/clip';
import { startMediaServer } from '../../local/kinesis-video/media-server';

export interface FakeVideo {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** What a viewer of a STREAM share is told: a session that ends after so many seconds. */
  playback(seconds: number): object;
  stop(): Promise<void>;
}

/** The test clip as live video, with sessions of any length. */
export async function startFakeVideo(): Promise<FakeVideo> {
  const server = await startMediaServer(readClip(join(__dirname, '../../local/kinesis-video/clip')));
  return {
    url: server.origin,
    playback: (seconds) => ({
      protocol: 'HLS',
      url: server.open({ seconds, segments: 5 }),
      expiresAt: new Date(Date.now() + seconds * 1000).toISOString(),
    }),
    stop: () => server.stop(),
  };
}
