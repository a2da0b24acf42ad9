import { readClip } from 'cloud-assembly-runner/kinesis-video/clip';
import { startMediaServer } from 'cloud-assembly-runner/kinesis-video/media-server';

export interface FakeVideo {
  /** Playback message with a session of this many seconds. */
  playback(seconds: number): object;
  stop(): Promise<void>;
}

/** The test clip as live video, with sessions of any length. */
export async function startFakeVideo(): Promise<FakeVideo> {
  const server = await startMediaServer(readClip());
  return {
    playback: (seconds) => ({
      protocol: 'HLS',
      url: server.open({ seconds, segments: 5 }),
      expiresAt: new Date(Date.now() + seconds * 1000).toISOString(),
    }),
    stop: () => server.stop(),
  };
}
