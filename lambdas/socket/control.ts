import { noteControl } from '../../data/requests/control-requests';
import { newRequestId } from '../../data/store/new-id';
import { isActive } from '../../data/partners/organisation-status';
import { publishPlatformEvent } from '../../data/platform/platform-bus';
import { readShare } from '../../data/shares/shares';
import { organisationId } from '../../domain/id';
import { Refusal } from '../../domain/refusal';
import { logger } from '../logger';
import { shareIdOf } from '../delivery/share-id';
import { answer } from '../channel/answer';
import { limitControl } from '../channel/limit-control';

export const handler = answer('control', async ({ session, message, now }) => {
  const { shareCode, deviceId, organisation, connectionId } = session;
  // A drone acts on it: the share has to stand at this very moment, and whoever gave it out.
  const share = await readShare(shareCode, now.toISOString());
  if (!share?.permissions.includes('control')) throw new Refusal('forbidden');
  if (!(await isActive(organisation))) throw new Refusal('forbidden');
  const shareId = shareIdOf(shareCode);
  await limitControl(shareId, deviceId, now);
  const requestId = newRequestId();
  await noteControl(requestId, { shareCode, deviceId }, now);
  await publishPlatformEvent('control.requested', {
    requestId,
    organisationId: organisationId(organisation),
    shareId,
    deviceId,
    command: message.command,
    requestedAt: now.toISOString(),
  });
  // Who it was: the handshake of this connection is in the log too. What was asked for is the viewer's own words.
  logger.info('control', { requestId, shareId, deviceId, organisation, connectionId });
  return { type: 'accepted', requestId };
});
