import * as actions from '../../contract/actions/telemetry';
import { unfollow } from '../../data/connections/sessions';
import { answer } from '../sockets/action';

export const handler = answer(
  'unsubscribe',
  actions.unsubscribe,
  async ({ session, message: { deviceId, deviceGroupId } }) => {
    await unfollow(session, deviceId ?? deviceGroupId ?? '');
    return { type: 'unsubscribed', ...(deviceId === undefined ? { deviceGroupId } : { deviceId }) };
  },
);
