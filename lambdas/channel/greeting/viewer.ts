import { readDevice } from '../../../data/fleet/fleet';
import { findSession, followedDevice, followedShare, type ViewerSession } from '../../../data/connections/sessions';
import { readShare } from '../../../data/shares/shares';
import { postToSocket } from '../../../data/connections/sockets';
import type { Share } from '../../../domain/share';
import { shareMessage } from '../../../domain/status-event';
import { sharePlayback } from '../share-playback';
import { playbackMessage } from '../../delivery/telemetry/playback-message';
import { snapshotMessage } from '../../delivery/telemetry/sample-message';
import { viewerMessage } from '../../delivery/telemetry/viewer-message';
import { catchUp, tellLastWord } from './catch-up';
import { OPENING_MS } from './opening';

/** What a viewer is told first: the share, its video if it has one, and where the device is. */
async function firstWords(viewer: ViewerSession, share: Share, now: Date) {
  const { shareType, permissions, organisation, deviceId } = viewer;
  const [device, playback] = await Promise.all([readDevice(organisation, deviceId), sharePlayback(viewer, now)]);
  // The number of viewers is told a second after it has changed; this one is here already.
  const counted = { ...share, currentViewers: Math.max(1, share.currentViewers) };
  const status = { ...shareMessage(counted, now.toISOString()), shareType, permissions, snapshot: true };
  const snapshot = device && snapshotMessage(device, now);
  const words = [
    status,
    ...(playback === undefined ? [] : [playbackMessage(playback)]),
    ...(snapshot ? [viewerMessage(snapshot)] : []),
  ];
  return { words, snapshot };
}

/**
 * A viewer is told the share and where its device is, and then follows both. The share is read after the viewer's items
 * have been written, and whoever revokes it looks for those after it is gone: so one of the two finds the other.
 * @param end the last word on the share, should it be gone
 */
export async function greetViewer(connectionId: string, end?: string): Promise<void> {
  const viewer = await findSession(connectionId);
  // It has left already.
  if (viewer?.kind !== 'viewer') return;
  const now = new Date();
  const share = await readShare(viewer.shareCode, now.toISOString());
  if (!share) return tellLastWord(followedShare(viewer), OPENING_MS, end);
  const { words, snapshot } = await firstWords(viewer, share, now);
  for (const word of words) if (!(await postToSocket(followedShare(viewer), JSON.stringify(word), OPENING_MS))) return;
  if (!(await catchUp(followedShare(viewer), { 'share.status': share.version }))) return;
  await catchUp(followedDevice(viewer, viewer.deviceId), snapshot ? { [viewer.deviceId]: snapshot.sequence } : {});
}
