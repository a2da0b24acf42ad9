import { endsFlight } from '../../domain/commands/stops';
import { type CommandReason } from '../../domain/commands/command-lifecycle';
import { isSupported, whyNotObeyed } from './command-refusal';
import { flownOf, isOutOfReach } from './flown';
import { elapsedOf, flightOf, type Fleet, type Flying } from './fleet';
import { storeCommand } from './missions';
import { endCommand, takePlace, order, type OpenCommand, type Taken } from './commands';
import type { OpenItems } from './open-items';
import { publishReports } from './publish-reports';

type Waiting = Pick<OpenItems, 'commands' | 'endedShares'>;

/** Why a command is refused, whatever the device does. */
function whyRefused({ command, shareId, startBefore }: OpenCommand, { endedShares }: Waiting, now: Date) {
  if (endedShares.some((ended) => ended.shareId === shareId)) return 'SHARE_ENDED';
  if (now.getTime() >= Date.parse(startBefore)) return 'TOO_LATE';
  return isSupported(command) ? undefined : 'NOT_SUPPORTED';
}

/** Takes a command for a device that stands in its dock: what ends a flight is so already. */
async function answerOnGround(command: OpenCommand, refused: CommandReason | undefined, now: Date): Promise<void> {
  const { requestId, deviceId } = command;
  const allowed = refused ?? (endsFlight(command.command.name) ? undefined : 'NOT_ALLOWED');
  const reason = allowed ?? ((await takePlace(command)) ? undefined : 'OUT_OF_ORDER');
  const outcome = reason ? 'REFUSED' : 'DONE';
  const detail = { requestId, deviceId, outcome, reason, at: now.toISOString() } as const;
  await publishReports([{ type: 'control.outcome.reported', detail }]);
}

/** The mission after a command to its drone. */
async function takeInFlight(
  mission: Flying,
  command: OpenCommand,
  refusedAnyway: CommandReason | undefined,
  fleet: Fleet,
  now: Date,
): Promise<Flying> {
  const { requestId } = command;
  const [flight, at] = [flightOf(mission, fleet), elapsedOf(mission, fleet, now)];
  // One that is stored already has only not been ended.
  const isKnown = mission.commands.some((one) => one.requestId === requestId);
  // A drone out of reach hears nothing, so nobody answers.
  if (isKnown || isOutOfReach(flight, flownOf(flight), at)) return mission;
  const given = refusedAnyway ? { name: command.command.name } : order.parse(command.command);
  // The drone has been given to another job since.
  const isForAnother = command.recalledFrom !== undefined && command.recalledFrom !== mission.jobId;
  const refused = refusedAnyway ?? (isForAnother ? 'OUT_OF_ORDER' : whyNotObeyed(flight, given, at));
  const reason = refused ?? ((await takePlace(command)) ? undefined : 'OUT_OF_ORDER');
  const taken: Taken = { requestId, at, order: given, refused: reason };
  await storeCommand(mission.jobId, taken);
  return { ...mission, commands: [...mission.commands, taken] };
}

/** The mission after its drone was called home, if its job is over. */
async function obeyRecall(mission: Flying, fleet: Fleet, now: Date): Promise<Flying> {
  const [flight, at] = [flightOf(mission, fleet), elapsedOf(mission, fleet, now)];
  const flown = flownOf(flight, at);
  const isKnown = mission.commands.some(({ requestId }) => requestId === undefined);
  if (mission.recalledAt === undefined || isKnown || isOutOfReach(flight, flown, at)) return mission;
  const taken: Taken = { at, order: { name: 'RETURN_HOME' } };
  await storeCommand(mission.jobId, taken);
  return { ...mission, commands: [...mission.commands, taken] };
}

/**
 * Lets the devices take what has come since the last tick, each its commands in their order.
 * @returns the missions in flight, with what they took
 */
export async function takeCommands(flying: readonly Flying[], open: Waiting, fleet: Fleet, now: Date) {
  const missions = new Map<string, Flying>();
  for (const mission of flying) missions.set(mission.deviceId, await obeyRecall(mission, fleet, now));
  for (const command of open.commands.toSorted((one, other) => one.sequence - other.sequence)) {
    const refused = whyRefused(command, open, now);
    const mission = missions.get(command.deviceId);
    if (mission) missions.set(command.deviceId, await takeInFlight(mission, command, refused, fleet, now));
    else await answerOnGround(command, refused, now);
    await endCommand(command, now);
  }
  return [...missions.values()];
}
