import { randomUUID } from 'node:crypto';
import * as actions from '../../contract/telemetry/telemetry.actions';
import { expectSubscribable } from '../../data/fleet/registered-parts';
import { noteFollowed } from '../../data/channels/followed-channels';
import { requestSnapshot } from '../../data/channels/request-snapshot';
import { followDevice, takeBack } from '../../data/channels/sessions';
import { LONGEST_CONNECTION_S } from '../../domain/channels/longest-connection';
import { answer } from '../sockets/action';
import { untilNoticed } from './followed-group';

/** The reply is followed by the last known state of each device, then by its changes. */
export const handler = answer(
  'subscribe',
  actions.subscribe,
  async ({ session, now, message: { deviceId, deviceGroupId, batch = false } }) => {
    await expectSubscribable(session.organisation, deviceId, deviceGroupId);
    const followed = deviceId ?? deviceGroupId ?? '';
    const waiting = randomUUID();
    const earlier = await followDevice(session, followed, Math.floor(now.getTime() / 1000), waiting, batch);
    try {
      const kind = deviceId === undefined ? 'group' : 'device';
      // Whoever delivers reads only now and then whether somebody began to follow.
      const isUnnoticed = await noteFollowed(
        { kind, id: followed },
        'sockets',
        session.openedAt + LONGEST_CONNECTION_S,
      );
      // Its answer promises that nothing is missed from then on.
      await untilNoticed({ isUnnoticed });
      const { connectionId } = session;
      await requestSnapshot({ kind: 'subscription', connectionId, followed, waiting });
    } catch (error) {
      await takeBack(session, followed, waiting, earlier);
      throw error;
    }
    return {
      type: 'subscribed',
      ...(deviceId === undefined ? { deviceGroupId } : { deviceId }),
      ...(batch && { batch }),
    };
  },
);
