import { expectFollowed } from '../../data/fleet/fleet';
import { greetLater } from '../../data/connections/greetings';
import { follow, unfollow } from '../../data/connections/sessions';
import { answer } from '../channel/answer';

/** The last known state follows, and after it what happens. */
export const handler = answer('subscribe', async ({ session, now, message: { deviceId, deviceGroupId } }) => {
  await expectFollowed(session.organisation, deviceId, deviceGroupId);
  const followed = deviceId ?? deviceGroupId ?? '';
  await follow(session, followed, Math.floor(now.getTime() / 1000));
  try {
    await greetLater({ kind: 'subscription', connectionId: session.connectionId, followed });
  } catch (error) {
    await unfollow(session, followed);
    throw error;
  }
  return { type: 'subscribed', ...(deviceId === undefined ? { deviceGroupId } : { deviceId }) };
});
