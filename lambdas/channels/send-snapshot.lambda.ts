import { readSnapshotRequest, type SnapshotRequest } from '../../data/channels/snapshot-requests';
import { HANDSHAKE_RETRY_DELAYS_MS, deleteConnection } from '../../data/channels/sockets';
import { sendChannelSnapshot } from './snapshot-of-status';
import { sendSubscriptionSnapshot } from './snapshot-of-subscription';
import { sendViewerSnapshot } from './snapshot-of-viewer';
import { endLater } from '../sockets/close-followers';
import { endFollowers } from '../sockets/send-to-followers';
import { untilNoticed } from '../telemetry/followed-group';
import { logger } from '../runtime/logger';
import { about, named, type Subject } from '../runtime/subject';

async function sendSnapshot(request: SnapshotRequest): Promise<void> {
  switch (request.kind) {
    case 'channel':
      await untilNoticed(request);
      return sendChannelSnapshot(request.connection, request);
    case 'viewer':
      return sendViewerSnapshot(request);
    case 'subscription':
      return sendSubscriptionSnapshot(request);
    case 'share-end':
      return endShare(request);
  }
}

const endShare = ({ shareCode, message, later }: Extract<SnapshotRequest, { kind: 'share-end' }>) =>
  later === undefined ? endFollowers(shareCode, message) : endLater(shareCode, message, later);

function connectionIdOf(request: SnapshotRequest): string | undefined {
  if (request.kind === 'share-end') return undefined;
  return request.kind === 'channel' ? request.connection.connectionId : request.connectionId;
}

/**
 * An event for each new connection or subscription → its first messages: the state, then what was buffered meanwhile. If that
 * fails, the socket is closed so that its client reconnects: left open it would receive nothing, unnoticed. And an event for each
 * share that has ended → the last messages of its followers; the heartbeat closes those that it misses.
 */
export async function handler(event: unknown): Promise<void> {
  const request = readSnapshotRequest(event);
  await about(subjectOf(request), () => sendOrClose(request));
}

/** The resource that a snapshot is of; a viewer's is found by its connection. */
function subjectOf(request: SnapshotRequest): Subject {
  switch (request.kind) {
    case 'channel':
      return named(afterKind(request.connection.channel));
    case 'subscription':
      return named(afterKind(request.followed));
    case 'share-end':
      return named(request.shareCode);
    case 'viewer':
      return {};
  }
}

/** The identifier in a key such as `job#<jobId>`. */
const afterKind = (key: string): string => key.slice(key.indexOf('#') + 1);

async function sendOrClose(request: SnapshotRequest): Promise<void> {
  try {
    await sendSnapshot(request);
  } catch (error) {
    const connectionId = connectionIdOf(request);
    logger.error('snapshot could not be sent', { connectionId, error });
    if (connectionId !== undefined) await deleteConnection(connectionId, HANDSHAKE_RETRY_DELAYS_MS);
  }
}
