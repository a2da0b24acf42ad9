import * as actions from '../../contract/shares/viewers.actions';
import { CONTROLS_PER_MINUTE, UNCOUNTED_REFUSALS_PER_MINUTE } from '../../contract/terms/rates';
import type { ViewerSession } from '../../data/channels/sessions';
import { digestShareCode, viewerPseudonym } from '../../data/shares/share-id';
import { isKnownCommand, type Command } from '../../domain/commands/command';
import { knownCommand } from '../../domain/commands/command-request';
import { isStop, passesLimits } from '../../domain/commands/stops';
import { Unreadable } from '../../domain/values/judged';
import { Refusal } from '../../domain/values/refusal';
import { permitsCommand } from '../../domain/shares/viewer-rights';
import { acceptCommand } from '../commands/accept-command';
import { faultsIn } from '../runtime/details';
import { limitRate, uncount } from '../../data/access/rate-limit';
import { logger } from '../runtime/logger';
import { answer } from '../sockets/action';
import { controlledDevice } from './controlled-device';

export const handler = answer('control', actions.control, async ({ session, message: { command }, now }) => {
  const { shareCode, deviceId, organisation, connectionId } = session;
  expectSchema(command);
  const device = await controlledDevice(session, (share) => permitsCommand(share, command.name), now.toISOString());
  const shareId = digestShareCode(shareCode);
  const counters = await limitControl(session, shareId, command, now);
  const requested = {
    organisation,
    device,
    command,
    requester: { origin: 'share', requestedBy: viewerPseudonym(connectionId), shareId },
    shareCode,
    now: now.toISOString(),
  } as const;
  const { commandId } = await acceptCommand(requested).catch(async (error: unknown) => {
    if (error instanceof Refusal && isStop(command.name))
      await takeBack(shareId, counters, now).catch((failure: unknown) => {
        logger.error('refused stop stays counted', { error: failure });
      });
    throw error;
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
 * Counts a viewer's command against the limits of its share and of the device; one that keeps the drone from harm
 * apart, against its viewer's own first.
 * @param shareId digest of the share code
 * @returns the keys of what was counted
 * @throws Refusal `too_many_requests`
 */
async function limitControl(
  { connectionId, deviceId }: ViewerSession,
  shareId: string,
  { name }: Command,
  now: Date,
): Promise<readonly string[]> {
  if (passesLimits(name)) {
    const [own, all] = [`stop#${connectionId}`, `stop#${shareId}`];
    const stops = await limitRate(own, CONTROLS_PER_MINUTE.stopsOfViewer, now);
    if (stops <= CONTROLS_PER_MINUTE.firstStopsOfViewer) {
      const first = `first#${shareId}`;
      const isTaken = await isWithin(first, CONTROLS_PER_MINUTE.firstStopsOfShare, now);
      if (isTaken) return [own, first];
    }
    await limitRate(all, CONTROLS_PER_MINUTE.stopsOfShare, now);
    return [own, all];
  }
  // The share first: a command that is refused for its share must not use up the limit of the device's other shares.
  const [ofShare, ofDevice] = [`control#${shareId}`, `control#${deviceId}`];
  await limitRate(ofShare, CONTROLS_PER_MINUTE.share, now);
  await limitRate(ofDevice, CONTROLS_PER_MINUTE.device, now);
  return [ofShare, ofDevice];
}

/**
 * A stop that the device refused does not count: the viewer needs it when the drone is in the air. Beyond the limit of
 * those it does.
 */
async function takeBack(shareId: string, counters: readonly string[], now: Date): Promise<void> {
  if (await isWithin(`refused#${shareId}`, UNCOUNTED_REFUSALS_PER_MINUTE, now))
    await Promise.all(counters.map((key) => uncount(key, now)));
}

/** Counts a call. @returns whether it is within the limit */
const isWithin = (key: string, limit: number, now: Date): Promise<boolean> =>
  limitRate(key, limit, now).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Refusal) return false;
      throw error;
    },
  );
