import { changeCommand } from '../../data/commands/command-changes';
import type { CommandReason } from '../../domain/command-lifecycle';
import type { CommandRecord } from '../../domain/command-record';

interface End {
  readonly status: 'REFUSED' | 'SUPERSEDED' | 'TIMED_OUT';
  readonly reason?: CommandReason;
  readonly supersededBy?: string;
  readonly from?: readonly CommandRecord['status'][];
  readonly now: Date;
}

/** Ends a command for a cause of this service's own. Idempotent; no effect on one that has ended. */
export async function endCommand(
  { deviceId, commandId }: Pick<CommandRecord, 'deviceId' | 'commandId'>,
  to: End,
): Promise<void> {
  const { now, ...change } = to;
  await changeCommand({ deviceId, commandId }, { ...change, at: now.toISOString(), changeId: `service/${to.status}` });
}
