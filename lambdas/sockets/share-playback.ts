import { findVideoStream } from '../../data/fleet/fleet';
import { playbackOf } from '../../data/shares/video';
import { organisationOf } from '../../domain/id';
import type { Share } from '../../domain/share';

/** Live video of a STREAM share, null when its device has no stream; undefined for a share without video. */
export async function sharePlayback(
  { shareCode, shareType, resourceId, deviceId }: Pick<Share, 'shareCode' | 'shareType' | 'resourceId' | 'deviceId'>,
  now: Date,
) {
  if (shareType !== 'STREAM') return undefined;
  const stream = await findVideoStream(organisationOf('share', shareCode) ?? '', resourceId, deviceId);
  return stream === undefined ? null : playbackOf(stream, now);
}
