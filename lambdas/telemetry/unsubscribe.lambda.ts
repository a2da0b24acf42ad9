import * as actions from '../../contract/telemetry/telemetry.actions';
import { unfollow } from '../../data/channels/sessions';
import { answer } from '../sockets/action';

export const handler = answer(
  'unsubscribe',
  actions.unsubscribe,
  async ({ session, message: { deviceId, deviceGroupId } }) => {
    await unfollow(session, deviceId ?? deviceGroupId ?? '');
    return { type: 'unsubscribed', ...(deviceId === undefined ? { deviceGroupId } : { deviceId }) };
  },
);
