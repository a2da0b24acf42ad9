import type { ViewerShareMessage } from '../../contract/channels/socket-messages';
import { readDevice } from '../../data/fleet/devices';
import {
  endSamples,
  findSession,
  followedDevice,
  followedShare,
  type ViewerSession,
} from '../../data/channels/sessions';
import { readShare } from '../../data/shares/shares';
import { HANDSHAKE_RETRY_DELAYS_MS, postToSocket } from '../../data/channels/sockets';
import type { Share } from '../../domain/shares/share';
import { shareMessage } from '../../domain/channels/status-event';
import type { SnapshotRequest } from '../../data/channels/snapshot-requests';
import { sharePlayback } from '../../data/shares/playback-session';
import { toPlaybackMessage } from '../shares/playback-message';
import { snapshotMessage, viewerMessage } from '../telemetry/telemetry-message';
import { finalMessage } from './authorise-channel';
import { untilNoticed } from '../telemetry/followed-group';
import { viewerClientId } from '../../data/shares/share-id';
import { catchUp, sendFinalMessage } from './catch-up';

type ViewerRequest = Omit<Extract<SnapshotRequest, { kind: 'viewer' }>, 'kind'>;

/** How a viewer connects to the topic of its share; its password is the share code. */
const accessOf = (connectionId: string, topic: string) => ({
  clientId: viewerClientId(connectionId),
  username: connectionId,
  topic,
});

/** The messages about the share itself: its status, and its video if it has one. */
async function shareMessages(viewer: ViewerSession, share: Share, now: Date) {
  const { shareType, permissions } = viewer;
  const playback = await sharePlayback(viewer, now);
  // The share's count is updated a second after a viewer connects; this viewer counts already.
  const counting = { ...share, currentViewers: Math.max(1, share.currentViewers) };
  const status: ViewerShareMessage = {
    ...shareMessage(counting, now.toISOString()),
    shareType,
    permissions,
    ...(share.commands && permissions.includes('control') && { commands: share.commands }),
    snapshot: true,
    ...(viewer.broadcast !== undefined && { broadcast: accessOf(viewer.connectionId, viewer.broadcast) }),
  };
  return [status, ...(playback === undefined ? [] : [toPlaybackMessage(playback)])];
}

/**
 * Sends a viewer its share and the device's last known state, then the changes of both. The share is read after the viewer's
 * items have been written, and its end looks for viewers after the share is deleted, so one of the two notices the other. It is
 * read again before the device's state is sent: of a share that ended meanwhile, only the end is.
 * @param request with the final message of the share, in case it has been deleted
 */
export async function sendViewerSnapshot(request: ViewerRequest): Promise<void> {
  const viewer = await findSession(request.connectionId);
  // The viewer has disconnected already.
  if (viewer?.kind !== 'viewer') return;
  const now = new Date();
  const ofShare = followedShare(viewer);
  const share = await readShare(viewer.shareCode, now.toISOString());
  if (!share) {
    if (viewer.broadcast !== undefined) await endSamples(viewer.broadcast, viewer.deviceId);
    return sendFinalMessage(ofShare, HANDSHAKE_RETRY_DELAYS_MS, request.end);
  }
  for (const message of await shareMessages(viewer, share, now))
    if (!(await postToSocket(ofShare, JSON.stringify(message), HANDSHAKE_RETRY_DELAYS_MS))) return;
  await untilNoticed(request);
  if (!(await readShare(viewer.shareCode, new Date().toISOString()))) {
    const end = finalMessage({ kind: 'share', before: share, after: undefined }, new Date().toISOString());
    return sendFinalMessage(ofShare, [], end);
  }
  const { organisation, deviceId } = viewer;
  const device = await readDevice(organisation, deviceId, true);
  const snapshot = device && snapshotMessage(device, new Date());
  if (snapshot && !(await postToSocket(ofShare, JSON.stringify(viewerMessage(snapshot))))) return;
  if (!(await catchUp(ofShare, { 'share.status': share.version }))) return;
  if (viewer.broadcast !== undefined) return;
  await catchUp(followedDevice(viewer, deviceId), snapshot ? { [deviceId]: snapshot.sequence } : {});
}
