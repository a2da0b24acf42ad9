import type { ViewerShareMessage } from '../../../contract/socket-messages';
import { readDevice } from '../../../data/fleet/fleet';
import {
  endTopic,
  findSession,
  followedDevice,
  followedShare,
  type ViewerSession,
} from '../../../data/connections/sessions';
import { readShare } from '../../../data/shares/shares';
import { HANDSHAKE_RETRY_DELAYS_MS, postToSocket } from '../../../data/connections/sockets';
import type { Share } from '../../../domain/share';
import { shareMessage } from '../../../domain/status-event';
import { sharePlayback } from '../../../data/shares/video';
import { playbackMessage } from '../playback-message';
import { snapshotMessage, viewerMessage } from '../../telemetry/telemetry-message';
import { viewerClientId } from '../../../data/shares/share-id';
import { aged } from './aged';
import { catchUp, sendFinalMessage } from './catch-up';

/** How a viewer connects to the topic of its share; its password is the share code. */
const accessOf = (connectionId: string, topic: string) => ({
  clientId: viewerClientId(connectionId),
  username: connectionId,
  topic,
});

/** The first messages of a viewer: the share, its video if it has one, and the device's last known state. */
async function initialMessages(viewer: ViewerSession, share: Share, now: Date) {
  const { shareType, permissions, organisation, deviceId } = viewer;
  const [device, playback] = await Promise.all([readDevice(organisation, deviceId, true), sharePlayback(viewer, now)]);
  // The share's count is updated a second after a viewer connects; this viewer counts already.
  const counted = { ...share, currentViewers: Math.max(1, share.currentViewers) };
  const status: ViewerShareMessage = {
    ...shareMessage(counted, now.toISOString()),
    shareType,
    permissions,
    snapshot: true,
    ...(viewer.broadcast !== undefined && { broadcast: accessOf(viewer.connectionId, viewer.broadcast) }),
  };
  const snapshot = device && snapshotMessage(device, now);
  const messages = [
    status,
    ...(playback === undefined ? [] : [playbackMessage(playback)]),
    ...(snapshot ? [viewerMessage(snapshot)] : []),
  ];
  return { messages, snapshot };
}

/**
 * Sends a viewer its share and the device's last known state, then the changes of both. The share is read after the viewer's
 * items have been written, and revoking looks for viewers after the share is deleted, so one of the two notices the other.
 * @param end final message of the share, in case it has been deleted
 */
export async function sendViewerSnapshot(connectionId: string, end?: string): Promise<void> {
  const viewer = await findSession(connectionId);
  // The viewer has disconnected already.
  if (viewer?.kind !== 'viewer') return;
  const now = new Date();
  const share = await readShare(viewer.shareCode, now.toISOString());
  if (!share) {
    if (viewer.broadcast !== undefined) await endTopic(viewer.broadcast, viewer.deviceId);
    return sendFinalMessage(followedShare(viewer), HANDSHAKE_RETRY_DELAYS_MS, end);
  }
  const { messages, snapshot } = await initialMessages(viewer, share, now);
  for (const message of messages)
    if (!(await postToSocket(followedShare(viewer), JSON.stringify(aged(message)), HANDSHAKE_RETRY_DELAYS_MS))) return;
  if (!(await catchUp(followedShare(viewer), { 'share.status': share.version }))) return;
  if (viewer.broadcast !== undefined) return;
  await catchUp(followedDevice(viewer, viewer.deviceId), snapshot ? { [viewer.deviceId]: snapshot.sequence } : {});
}
