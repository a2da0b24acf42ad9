import type { DropReason } from '../../domain/platform/drop-reason';
import type { InboundDetail } from '../../domain/platform/inbound-events';
import { changeCommand, keepLateOutcome } from '../../data/commands/command-changes';
import { invalid } from '../../domain/values/refusal';
import { expectNotAhead, latestBegin } from '../../domain/values/reported-time';
import { logger } from '../runtime/logger';

/** What is said of a report that changes no command. */
const dropped = { repeated: 'repeated', unknown: 'unknown', ended: 'late' } as const satisfies Record<
  string,
  DropReason
>;

/**
 * Takes what the platform reports of a command. An outcome that comes after the end is kept beside it.
 * @param changeId identifies the report: the same report is taken again, for a retry after a failure
 * @param now when it was received
 * @returns the drop reason when it changes nothing
 * @throws Refusal `invalid_request` for a time that is too far ahead, or before the command
 */
export async function takeOutcome(
  reported: InboundDetail<'control.outcome.reported'>,
  changeId: string,
  now: Date,
): Promise<DropReason | undefined> {
  const { requestId: commandId, deviceId, outcome, reason, at } = reported;
  expectNotAhead('at', at, now);
  const key = { deviceId, commandId };
  const result = await changeCommand(key, { status: outcome, reason, at, changeId, requestedUntil: latestBegin(at) });
  logger.info('command outcome', { commandId, deviceId, outcome, result });
  if (result === 'moved') return undefined;
  if (result === 'untimely') throw invalid('at', 'is more than 60 seconds before the command was requested');
  const isLate = result === 'ended' && outcome !== 'DELIVERED';
  if (isLate && (await keepLateOutcome(key, { outcome, reason, at }, changeId))) return undefined;
  return dropped[result];
}
