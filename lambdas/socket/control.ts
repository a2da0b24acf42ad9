import { commandsNotPermitted } from '../../contract/forbidden';
import { saveControlRequest } from '../../data/requests/control-requests';
import { newRequestId } from '../../data/store/new-id';
import { isActive } from '../../data/partners/organisation-status';
import { publishPlatformEvent } from '../../data/platform/platform-bus';
import { readShare } from '../../data/shares/shares';
import { CONTROLS_PER_MINUTE } from '../../domain/control';
import { organisationId } from '../../domain/id';
import { logger } from '../logger';
import { shareIdOf } from '../../data/shares/share-id';
import { answer } from '../sockets/action';
import { limitRate } from '../limit-rate';

export const handler = answer('control', async ({ session, message, now }) => {
  const { shareCode, deviceId, organisation, connectionId } = session;
  // A drone acts on it, so the share and its organisation must be valid at this moment: no cache.
  const share = await readShare(shareCode, now.toISOString());
  if (!share?.permissions.includes('control')) throw commandsNotPermitted();
  if (!(await isActive(organisation))) throw commandsNotPermitted();
  const shareId = shareIdOf(shareCode);
  await limitControl(shareId, deviceId, now);
  const requestId = newRequestId();
  await saveControlRequest(requestId, { shareCode, deviceId }, now);
  await publishPlatformEvent('control.requested', {
    requestId,
    organisationId: organisationId(organisation),
    shareId,
    deviceId,
    command: message.command,
    requestedAt: now.toISOString(),
  });
  // Traces the command to the handshake of its connection. The command itself is the viewer's input, so it is not logged.
  logger.info('control', { requestId, shareId, deviceId, organisation, connectionId });
  return { type: 'accepted', requestId };
});

/**
 * Counts a viewer's command against the limits of its share and of the device.
 * @param shareId digest of the share code
 * @throws Refusal `too_many_requests`
 */
async function limitControl(shareId: string, deviceId: string, now: Date): Promise<void> {
  // The share first: a command that is refused for its share must not use up the limit of the device's other shares.
  await limitRate(`control#${shareId}`, CONTROLS_PER_MINUTE.share, now);
  await limitRate(`control#${deviceId}`, CONTROLS_PER_MINUTE.device, now);
}
