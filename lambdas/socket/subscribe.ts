import { expectSubscribable } from '../../data/fleet/fleet';
import { noteFollowed } from '../../data/connections/followed-until';
import { requestSnapshot } from '../../data/connections/request-snapshot';
import { follow, unfollow } from '../../data/connections/sessions';
import { LONGEST_CONNECTION_S } from '../../domain/connection';
import { answer } from '../sockets/action';

/** The reply is followed by the last known state of each device, then by its changes. */
export const handler = answer(
  'subscribe',
  async ({ session, now, message: { deviceId, deviceGroupId, batch = false } }) => {
    await expectSubscribable(session.organisation, deviceId, deviceGroupId);
    const followed = deviceId ?? deviceGroupId ?? '';
    await follow(session, followed, Math.floor(now.getTime() / 1000), batch);
    try {
      const kind = deviceId === undefined ? 'group' : 'device';
      const isFirst = await noteFollowed({ kind, id: followed }, 'sockets', session.openedAt + LONGEST_CONNECTION_S);
      // Whoever delivers reads the device with each sample, but its group only now and then.
      const isUnnoticed = isFirst && kind === 'group';
      await requestSnapshot({ kind: 'subscription', connectionId: session.connectionId, followed, isUnnoticed });
    } catch (error) {
      await unfollow(session, followed);
      throw error;
    }
    return {
      type: 'subscribed',
      ...(deviceId === undefined ? { deviceGroupId } : { deviceId }),
      ...(batch && { batch }),
    };
  },
);
