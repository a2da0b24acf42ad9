import type { SnapshotEndMessage } from '../../contract/channels/socket-messages';
import { readNamedDevices } from '../../data/fleet/devices';
import { findSession, followedDevice } from '../../data/channels/sessions';
import { postToSocket } from '../../data/channels/sockets';
import { organisationOf } from '../../domain/values/id';
import { snapshotMessage } from '../telemetry/telemetry-message';
import type { SnapshotRequest } from '../../data/channels/snapshot-requests';
import { catchUp } from './catch-up';

type Subscription = Omit<Extract<SnapshotRequest, { kind: 'subscription' }>, 'kind'>;

/**
 * Sends a partner the last known state of each device that it has subscribed to, that these were all, then the buffered
 * messages.
 */
export async function sendSubscriptionSnapshot({ connectionId, followed, waiting }: Subscription): Promise<void> {
  const session = await findSession(connectionId);
  if (!session) return;
  const item = { ...followedDevice(session, followed), waiting };
  const sent: Record<string, number> = {};
  for (const device of await readNamedDevices(session.organisation, followed)) {
    const snapshot = snapshotMessage(device, new Date());
    if (!snapshot) continue;
    if (!(await postToSocket(item, JSON.stringify(snapshot)))) return;
    sent[device.deviceId] = snapshot.sequence;
  }
  const target = organisationOf('group', followed) ? { deviceGroupId: followed } : { deviceId: followed };
  const end: SnapshotEndMessage = { type: 'snapshot.end', ...target, count: Object.keys(sent).length };
  if (await postToSocket(item, JSON.stringify(end))) await catchUp(item, sent);
}
