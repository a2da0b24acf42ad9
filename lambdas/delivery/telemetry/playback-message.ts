import type { sharePlayback } from '../../channel/share-playback';

/** Where a viewer of a STREAM share finds the video, or why there is none. */
export const playbackMessage = (playback: NonNullable<Awaited<ReturnType<typeof sharePlayback>>> | null) => ({
  type: 'share.playback' as const,
  playback,
  ...(playback === null && { error: 'The device has no video stream' }),
});
