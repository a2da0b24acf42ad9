import { refusals } from '../../contract/refusals';
import { startFollowing, type Connection } from '../../data/connections';
import { listBehind, readDevice } from '../../data/fleet';
import { findSession, followedBy, refusalOf, viewedDevice, type ViewerSession } from '../../data/sessions';
import { readShare } from '../../data/shares';
import { closeSocket, postToSocket } from '../../data/sockets';
import type { RefusalCode } from '../../domain/refusal';
import type { Share } from '../../domain/share';
import { shareMessage } from '../../domain/status-event';
import { sharePlayback } from '../share-playback';
import { playbackMessage } from './playback-message';
import { snapshotMessage } from './sample-message';
import { viewerMessage } from './viewer-message';

/** What a viewer is told first: the share, its video if it has one, and where the device is. */
async function firstWords(viewer: ViewerSession, share: Share, now: Date): Promise<object[]> {
  const { shareType, permissions, organisation, deviceId } = viewer;
  const [device, playback] = await Promise.all([readDevice(organisation, deviceId), sharePlayback(viewer, now)]);
  const status = { ...shareMessage(share, now.toISOString()), shareType, permissions, snapshot: true };
  const snapshot = device && snapshotMessage(device, now);
  return [
    status,
    ...(playback === undefined ? [] : [playbackMessage(playback)]),
    ...(snapshot ? [viewerMessage(snapshot)] : []),
  ];
}

/** What changed before a viewer followed, nobody told it; and if the share has ended, nobody would close its socket. */
async function catchUp(connection: Connection, told: Share): Promise<void> {
  const now = new Date().toISOString();
  const share = await readShare(told.shareCode, now);
  if (!share) return closeSocket(connection);
  if (share.version !== told.version) await postToSocket(connection, JSON.stringify(shareMessage(share, now)));
}

/** Tells a page why it was let in only to be told why not, and closes it. */
async function refuse(connection: Connection, code: RefusalCode, opening: readonly number[]): Promise<void> {
  const { text } = refusals[code];
  if (await postToSocket(connection, JSON.stringify({ type: 'error', error: text }), opening))
    await closeSocket(connection);
}

async function greetViewer(connection: Connection, opening: readonly number[]): Promise<void> {
  const viewer = await findSession(connection.connectionId);
  if (viewer?.kind !== 'viewer') return;
  const now = new Date();
  const share = await readShare(viewer.shareCode, now.toISOString());
  if (!share) return closeSocket(connection);
  for (const word of await firstWords(viewer, share, now))
    if (!(await postToSocket(connection, JSON.stringify(word), opening))) return;
  await Promise.all([startFollowing(connection), startFollowing(viewedDevice(viewer))]);
  await catchUp(connection, share);
}

/** Tells a partner the last known state of what it has subscribed to. */
async function greetSubscription(connection: Connection, followed: string): Promise<void> {
  const session = await findSession(connection.connectionId);
  if (!session) return;
  const now = new Date();
  for (const device of await listBehind(session.organisation, followed)) {
    const snapshot = snapshotMessage(device, now);
    if (snapshot && !(await postToSocket(connection, JSON.stringify(snapshot)))) return;
  }
}

/**
 * Greets a new item of a telemetry socket: a viewer once for all that it follows, so that its first messages come in
 * order; a partner's subscription with the last known state.
 * @param opening waits in ms until the handshake is over
 */
export async function greetSession(connection: Connection, opening: readonly number[]): Promise<void> {
  const code = refusalOf(connection);
  if (code !== undefined) return refuse(connection, code as RefusalCode, opening);
  if (connection.channel.startsWith('share#')) return greetViewer(connection, opening);
  const followed = followedBy(connection);
  if (followed !== undefined && connection.clientId !== undefined) await greetSubscription(connection, followed);
}
