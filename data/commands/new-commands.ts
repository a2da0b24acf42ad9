/**
 * New commands of a device, in one order: each is stored together with the head of the device's commands, on the
 * condition that the head is as it was read.
 */
import { endsFlight } from '../../domain/commands/command';
import type { CommandRecord } from '../../domain/commands/command-record';
import { stopsWith } from '../../domain/commands/joined-stop';
import { insertTogether, type FirstAnswer } from '../store/idempotency';
import { table } from '../store/dynamodb';
import { putHead, type Head } from './command-head';
import { commandToItem } from './command-item';

/** What is stored with a command. */
interface Beside {
  /** The device's commands of this minute, if this one counts. */
  readonly counted?: Head['counted'];
  /** Of a viewer's command. */
  readonly shareCode?: string | undefined;
  readonly firstAnswer?: FirstAnswer | undefined;
}

/**
 * Stores a command after the others of its device.
 * @param before the head that it was made with
 * @returns false when the device got another command, or another holder, meanwhile
 * @throws AlreadyAnswered when the idempotency key has been used
 */
export const insertCommand = (
  command: CommandRecord,
  before: Head,
  { counted, shareCode, firstAnswer }: Beside = {},
): Promise<boolean> => {
  const { deviceId, commandId, sequence, name, requestedAt } = command;
  return insertTogether(
    [
      putHead(deviceId, before, {
        sequence,
        newest: { commandId, name, requestedAt },
        stops: stopsWith(before, command),
        ending: endsFlight(name) ? commandId : before.ending,
        ...(counted && { counted }),
      }),
      {
        TableName: table('commands'),
        Item: commandToItem(command, shareCode),
        ConditionExpression: 'attribute_not_exists(commandId)',
      },
    ],
    firstAnswer,
  );
};
