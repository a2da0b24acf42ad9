import { changeCommand } from '../../data/commands/command-changes';
import { readCommand, readOpenCommands, type CommandKey } from '../../data/commands/commands';
import { isEnded, type CommandReason } from '../../domain/commands/command-lifecycle';
import type { CommandRecord } from '../../domain/commands/command-record';
import { allSettled } from '../runtime/concurrency';

interface End {
  readonly status: 'REFUSED' | 'SUPERSEDED' | 'TIMED_OUT';
  readonly reason?: CommandReason;
  readonly supersededBy?: string;
  readonly from?: readonly CommandRecord['status'][];
  readonly now: Date;
}

/** Ends a command for a cause of this service's own. Idempotent; no effect on one that has ended. */
export async function endCommand({ deviceId, commandId }: CommandKey, to: End): Promise<void> {
  const { now, ...change } = to;
  await changeCommand({ deviceId, commandId }, { ...change, at: now.toISOString(), changeId: `service/${to.status}` });
}

/**
 * Ends a command at its deadline, if it has no outcome. Nearly all have one by then, and a read costs a fifth of a
 * write that is refused. Idempotent.
 */
export async function timeOutCommand(key: CommandKey, now: Date): Promise<void> {
  const found = await readCommand(key);
  if (found && !isEnded(found.command.status)) await endCommand(key, { status: 'TIMED_OUT', now });
}

/** Ends the commands of a share that has ended, as far as they have not been delivered. */
export async function refuseCommandsOfShare(deviceId: string, shareCode: string, now: Date): Promise<void> {
  const open = await readOpenCommands(deviceId, now);
  const ofShare = open.filter((each) => each.shareCode === shareCode);
  const to = { status: 'REFUSED', reason: 'SHARE_ENDED', from: ['REQUESTED'], now } as const;
  await allSettled(ofShare.map((each) => endCommand(each, to)));
}
