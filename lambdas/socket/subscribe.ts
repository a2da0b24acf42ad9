import { expectFollowed } from '../../data/fleet';
import { greetLater } from '../../data/greetings';
import { follow, unfollow } from '../../data/sessions';
import { answer } from './answer';

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
