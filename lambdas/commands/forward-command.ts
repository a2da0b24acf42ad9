import { readCommand, readOpenCommands, type CommandKey, type StoredCommand } from '../../data/commands/commands';
import { scheduleCommandDeadline } from '../../data/commands/schedule-command-deadline';
import { publishPlatformEvent } from '../../data/platform/publish-to-platform';
import { readShare } from '../../data/shares/shares';
import { endsFlight } from '../../domain/commands/stops';
import type { CommandReason } from '../../domain/commands/command-lifecycle';
import { toPlatformCommand, type CommandRecord } from '../../domain/commands/command-record';
import { organisationId, organisationOf } from '../../domain/values/id';
import { allSettled } from '../runtime/concurrency';
import { logger } from '../runtime/logger';
import { endCommand } from './end-command';

/**
 * Publishes a new command to the drone platform, as long as it may be begun, and ends what it supersedes. Idempotent:
 * the platform gets a repeat with the same id.
 */
export async function forwardCommand(key: CommandKey, now: Date): Promise<void> {
  // As it is now: it may have been superseded, or its share may have ended.
  const stored = await readCommand(key);
  if (stored?.command.status !== 'REQUESTED') return;
  const { command } = stored;
  // First: without it, one that nobody answers would never end.
  await scheduleCommandDeadline(command, command.endBefore, now);
  const reason = await whyNotPublished(stored);
  if (reason) return endCommand(command, { status: 'REFUSED', reason, now });
  await allSettled([publish(command), ...(endsFlight(command.name) ? [supersedeBefore(command, now)] : [])]);
}

async function publish(command: CommandRecord): Promise<void> {
  const { commandId, deviceId, jobId, origin, shareId, sequence, requestedAt, startBefore, endBefore } = command;
  await publishPlatformEvent('control.requested', {
    requestId: commandId,
    commandId,
    organisationId: organisationId(organisationOf('device', deviceId) ?? ''),
    origin,
    shareId,
    deviceId,
    jobId,
    command: toPlatformCommand(command),
    sequence,
    requestedAt,
    startBefore,
    endBefore,
  });
  logger.info('platform told', { type: 'control.requested', commandId });
}

/**
 * Why nothing of a command may reach the platform any more. The clock is looked at last, since each call before it
 * takes a while.
 */
async function whyNotPublished({ command, shareCode }: StoredCommand): Promise<CommandReason | undefined> {
  const isShared = shareCode === undefined || (await readShare(shareCode, new Date().toISOString())) !== undefined;
  if (!isShared) return 'SHARE_ENDED';
  return command.startBefore <= new Date().toISOString() ? 'TOO_LATE' : undefined;
}

/** Ends what is pending of the device's commands before one that ends the flight. */
async function supersedeBefore({ deviceId, commandId, sequence }: CommandRecord, now: Date): Promise<void> {
  const open = await readOpenCommands(deviceId, now);
  const earlier = open.filter((each) => each.sequence < sequence);
  await allSettled(earlier.map((each) => endCommand(each, { status: 'SUPERSEDED', supersededBy: commandId, now })));
}
