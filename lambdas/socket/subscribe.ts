import { expectFollowed } from '../../data/fleet';
import { follow } from '../../data/sessions';
import { answer } from './answer';

/** The last known state follows: the new item of the connections stream has it sent. */
export const handler = answer('subscribe', async ({ session, message: { deviceId, deviceGroupId } }) => {
  await expectFollowed(session.organisation, deviceId, deviceGroupId);
  await follow(session, deviceId ?? deviceGroupId ?? '');
  return { type: 'subscribed', ...(deviceId === undefined ? { deviceGroupId } : { deviceId }) };
});
