import { expectSubscribable } from '../../data/fleet/fleet';
import { requestSnapshot } from '../../data/connections/request-snapshot';
import { follow, unfollow } from '../../data/connections/sessions';
import { answer } from '../channel/answer';

/** The reply is followed by the last known state of each device, then by its changes. */
export const handler = answer('subscribe', async ({ session, now, message: { deviceId, deviceGroupId } }) => {
  await expectSubscribable(session.organisation, deviceId, deviceGroupId);
  const followed = deviceId ?? deviceGroupId ?? '';
  await follow(session, followed, Math.floor(now.getTime() / 1000));
  try {
    await requestSnapshot({ kind: 'subscription', connectionId: session.connectionId, followed });
  } catch (error) {
    await unfollow(session, followed);
    throw error;
  }
  return { type: 'subscribed', ...(deviceId === undefined ? { deviceGroupId } : { deviceId }) };
});
