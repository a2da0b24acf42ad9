import { noteControl } from '../../data/control-requests';
import { newRequestId } from '../../data/new-id';
import { isActive } from '../../data/organisation-status';
import { tellPlatform } from '../../data/platform-bus';
import { readShare } from '../../data/shares';
import { organisationId } from '../../domain/id';
import { Refusal } from '../../domain/refusal';
import { logger } from '../logger';
import { shareIdOf } from '../share-id';
import { answer } from './answer';
import { limitControl } from './limit-control';

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
  await tellPlatform('control.requested', {
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
