import type { DropReason, InboundDetail } from '../../contract/platform';
import { changeCommand, keepLateOutcome } from '../../data/commands/command-changes';
import { logger } from '../logger';

/** What is said of a report that changes no command. */
const dropped = { repeated: 'repeated', unknown: 'unknown', ended: 'late' } as const satisfies Record<
  string,
  DropReason
>;

/**
 * Takes what the platform reports of a command. An outcome that comes after the end is kept beside it.
 * @param changeId identifies the report: the same report is taken again, for a retry after a failure
 * @returns the drop reason when it changes nothing
 */
export async function takeOutcome(
  reported: InboundDetail<'control.outcome.reported'>,
  changeId: string,
): Promise<DropReason | undefined> {
  const { requestId: commandId, deviceId, outcome, reason, at } = reported;
  const key = { deviceId, commandId };
  const result = await changeCommand(key, { status: outcome, reason, at, changeId });
  logger.info('command outcome', { commandId, deviceId, outcome, result });
  if (result === 'moved') return undefined;
  const isLate = result === 'ended' && outcome !== 'DELIVERED';
  if (isLate && (await keepLateOutcome(key, { outcome, reason, at }, changeId))) return undefined;
  return dropped[result];
}
