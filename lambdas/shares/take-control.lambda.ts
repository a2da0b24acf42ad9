import * as actions from '../../contract/shares/viewers.actions';
import { CONTROL_TAKEN_PER_MINUTE } from '../../contract/terms/rates';
import { noteHolder } from '../../data/channels/sessions';
import { digestShareCode, viewerPseudonym } from '../../data/shares/share-id';
import { takeLease } from '../commands/lease';
import { limitRate } from '../../data/access/rate-limit';
import { answer } from '../sockets/action';
import { controlledDevice } from './controlled-device';

export const handler = answer('takeControl', actions.takeControl, async ({ session, now }) => {
  const { shareCode, deviceId, connectionId } = session;
  const at = now.toISOString();
  await controlledDevice(session, ({ permissions }) => permissions.includes('control'), at);
  const shareId = digestShareCode(shareCode);
  await limitRate(`lease#${shareId}`, CONTROL_TAKEN_PER_MINUTE, now);
  const claimant = { origin: 'share', heldBy: viewerPseudonym(connectionId), shareId, shareCode } as const;
  // Noted first: the end of the socket must find what it ends.
  const { until } = await takeLease(deviceId, claimant, at, () => noteHolder(session));
  return { type: 'control.taken', until };
});
