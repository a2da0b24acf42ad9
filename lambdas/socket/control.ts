import * as actions from '../../contract/actions/viewers';
import { CONTROLS_PER_MINUTE } from '../../contract/rates';
import type { ViewerSession } from '../../data/connections/sessions';
import { shareIdOf, viewerPseudonym } from '../../data/shares/share-id';
import { isKnownCommand, isSafe, type Command } from '../../domain/command';
import { knownCommand } from '../../domain/command-request';
import { Unreadable } from '../../domain/judged';
import { Refusal } from '../../domain/refusal';
import { permitsCommand } from '../../domain/share';
import { acceptCommand } from '../commands/accept-command';
import { faultsIn } from '../details';
import { limitRate } from '../limit-rate';
import { logger } from '../logger';
import { answer } from '../sockets/action';
import { controlledDevice } from '../sockets/controlled-device';

export const handler = answer('control', actions.control, async ({ session, message: { command }, now }) => {
  const { shareCode, deviceId, organisation, connectionId } = session;
  expectSchema(command);
  const device = await controlledDevice(session, (share) => permitsCommand(share, command.name), now.toISOString());
  const shareId = shareIdOf(shareCode);
  await limitControl(session, shareId, command, now);
  const { commandId } = await acceptCommand({
    organisation,
    device,
    command,
    requester: { origin: 'share', requestedBy: viewerPseudonym(connectionId), shareId },
    shareCode,
    now: now.toISOString(),
  });
  // Traces the command to the handshake of its connection. The command itself is the viewer's input, so it is not logged.
  logger.info('control', { commandId, shareId, deviceId, organisation, connectionId });
  return { type: 'accepted', requestId: commandId };
});

/** @throws Refusal `invalid_request` for a known name with other parameters than its own */
function expectSchema(command: Command): void {
  if (!isKnownCommand(command.name)) return;
  const faults = faultsIn(new Unreadable(command, knownCommand(command.name)));
  if (faults.length === 0) return;
  const details = faults.map(({ path, message }) => ({ path: path === '' ? 'command' : `command.${path}`, message }));
  throw new Refusal('invalid_request', details);
}

/**
 * Counts a viewer's command against the limits of its share and of the device; one that keeps the drone from harm apart, against its
 * viewer's own first.
 * @param shareId digest of the share code
 * @throws Refusal `too_many_requests`
 */
async function limitControl(
  { connectionId, deviceId }: ViewerSession,
  shareId: string,
  { name }: Command,
  now: Date,
): Promise<void> {
  if (isSafe(name)) {
    await limitRate(`stop#${connectionId}`, CONTROLS_PER_MINUTE.stopsOfViewer, now);
    return limitRate(`stop#${shareId}`, CONTROLS_PER_MINUTE.stopsOfShare, now);
  }
  // The share first: a command that is refused for its share must not use up the limit of the device's other shares.
  await limitRate(`control#${shareId}`, CONTROLS_PER_MINUTE.share, now);
  await limitRate(`control#${deviceId}`, CONTROLS_PER_MINUTE.device, now);
}
