import { listBehind } from '../../../data/fleet/fleet';
import { findSession, followedDevice } from '../../../data/connections/sessions';
import { postToSocket } from '../../../data/connections/sockets';
import { snapshotMessage } from '../../delivery/telemetry/sample-message';
import { catchUp } from './catch-up';

/** Tells a partner the last known state of what it has subscribed to, and then what it reports. */
export async function greetSubscription(connectionId: string, followed: string): Promise<void> {
  const session = await findSession(connectionId);
  if (!session) return;
  const item = followedDevice(session, followed);
  const told: Record<string, number> = {};
  const now = new Date();
  for (const device of await listBehind(session.organisation, followed)) {
    const snapshot = snapshotMessage(device, now);
    if (!snapshot) continue;
    if (!(await postToSocket(item, JSON.stringify(snapshot)))) return;
    told[device.deviceId] = snapshot.sequence;
  }
  await catchUp(item, told);
}
