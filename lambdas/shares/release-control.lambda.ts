import * as actions from '../../contract/shares/viewers.actions';
import { viewerPseudonym } from '../../data/shares/share-id';
import { endLease } from '../commands/lease';
import { answer } from '../sockets/action';

export const handler = answer('releaseControl', actions.releaseControlAction, async ({ session, now }) => {
  const asking = { origin: 'share', requestedBy: viewerPseudonym(session.connectionId) } as const;
  await endLease(session.deviceId, asking, now.toISOString());
  return { type: 'control.released' };
});
