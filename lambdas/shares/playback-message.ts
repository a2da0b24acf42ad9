import type { PlaybackMessage } from '../../contract/shares/viewer-protocol';

/** The live video of a STREAM share; `null` when its device has no video stream. */
export const toPlaybackMessage = (playback: PlaybackMessage['playback']): PlaybackMessage => ({
  type: 'share.playback',
  playback,
  ...(playback === null && { code: 'no_video_stream', error: 'The device has no video stream' }),
});
