import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import {
  endedCommandStatuses,
  commandStatusesBefore,
  isEnded,
  type CommandStatus,
} from '../../domain/commands/command-lifecycle';
import type { CommandRecord } from '../../domain/commands/command-record';
import { organisationOf } from '../../domain/values/id';
import { itemThatRefused } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';
import { isOneOf, update } from '../store/expression';
import { commandFromItem, type CommandKey } from './commands';

export interface CommandChange extends Partial<Pick<CommandRecord, 'reason' | 'supersededBy'>> {
  readonly status: CommandStatus;
  /** When the status was reached, ISO 8601. */
  readonly at: string;
  /** Identifies this change, so that its repeat is recognised as done. */
  readonly changeId: string;
  /** The statuses that it may have before; default: all that lead to the new one. */
  readonly from?: readonly CommandStatus[];
  /** Until when the command may have been requested, ISO 8601; default: any time. */
  readonly requestedUntil?: string;
}

/**
 * What became of a change. `moved`: the command has the status now, or had it by this very change; `repeated`: it had
 * it before; `ended`: it has another one, which is final or later; `untimely`: it was requested later than the change
 * allows; `unknown`: no such command.
 */
export type CommandChangeResult = 'moved' | 'repeated' | 'ended' | 'untimely' | 'unknown';

const commandKey = ({ deviceId, commandId }: CommandKey) => ({ deviceId, commandId });

/** What a command must be for a change, beside that it has one of some statuses. */
interface Condition {
  readonly text: string;
  readonly values?: Readonly<Record<string, unknown>>;
}

/**
 * Writes attributes of a command if it has one of some statuses, and counts its version.
 * @returns the item that did not; undefined when there is none, as for a key that no command has, such as that of the head
 */
async function write(
  key: CommandKey,
  fields: Readonly<Record<string, unknown>> & { readonly status?: CommandStatus },
  from: readonly CommandStatus[],
  condition?: Condition,
): Promise<Record<string, unknown> | undefined | 'written'> {
  if (organisationOf('command', key.commandId) === undefined) return undefined;
  const before = isOneOf('#status', 'from', from);
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: table('commands'),
        Key: commandKey(key),
        ...update({
          set: fields,
          // One that has ended leaves the index of open commands.
          remove: fields.status && isEnded(fields.status) ? ['openOn'] : [],
          add: { version: 1 },
          condition: [before.condition, ...(condition ? [condition.text] : [])].join(' AND '),
          values: { ...before.values, ...condition?.values },
        }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return 'written';
  } catch (error) {
    return itemThatRefused(error).found;
  }
}

/**
 * Moves a command to a status along its lifecycle, by one conditional write whose condition is generated from the
 * table. Idempotent.
 */
export async function changeCommand(
  key: CommandKey,
  { status, at, changeId, from = commandStatusesBefore(status), requestedUntil, ...told }: CommandChange,
): Promise<CommandChangeResult> {
  const time = isEnded(status) ? { endedAt: at } : { deliveredAt: at };
  const outcome = await write(key, { status, changeId, ...time, ...told }, from, notRequestedAfter(requestedUntil));
  if (outcome === 'written') return 'moved';
  const found = commandFromItem(outcome);
  if (!found) return 'unknown';
  if (found.changeId === changeId) return 'moved';
  if (requestedUntil !== undefined && found.command.requestedAt > requestedUntil) return 'untimely';
  return found.command.status === status ? 'repeated' : 'ended';
}

const notRequestedAfter = (time: string | undefined): Condition | undefined =>
  time === undefined ? undefined : { text: 'requestedAt <= :latest', values: { latest: time } };

/**
 * Keeps the outcome of a command that has ended without it, once; its status stays.
 * @returns whether it is kept, now or by this very change
 */
export async function keepLateOutcome(
  key: CommandKey,
  lateOutcome: NonNullable<CommandRecord['lateOutcome']>,
  changeId: string,
): Promise<boolean> {
  const ended = endedCommandStatuses.filter((status) => status !== lateOutcome.outcome);
  const isFirst = { text: 'attribute_not_exists(lateOutcome)' };
  const written = await write(key, { lateOutcome, changeId }, ended, isFirst);
  return written === 'written' || commandFromItem(written)?.changeId === changeId;
}
