import { unfollow } from '../../data/sessions';
import { answer } from './answer';

export const handler = answer('unsubscribe', async ({ session, message: { deviceId, deviceGroupId } }) => {
  await unfollow(session, deviceId ?? deviceGroupId ?? '');
  return { type: 'unsubscribed', ...(deviceId === undefined ? { deviceGroupId } : { deviceId }) };
});
