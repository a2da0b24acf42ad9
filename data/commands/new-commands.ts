/**
 * New commands of a device, in one order: each is stored together with the head of the device's commands, on the condition that the
 * head is as it was read.
 */
import { endsFlight } from '../../domain/command';
import type { CommandRecord } from '../../domain/command-record';
import { insertTogether, type FirstAnswer } from '../requests/idempotency';
import { table } from '../store/dynamodb';
import { putHead, type Head } from './command-head';
import { toItem } from './command-item';

/**
 * Stores a command after the others of its device.
 * @param before the head that it was made with
 * @param shareCode of a viewer's command
 * @returns false when the device got another command, or another holder, meanwhile
 * @throws AlreadyAnswered when the idempotency key has been used
 */
export const insertCommand = (
  command: CommandRecord,
  before: Head,
  shareCode?: string,
  firstAnswer?: FirstAnswer,
): Promise<boolean> => {
  const { deviceId, commandId, sequence, name } = command;
  return insertTogether(
    [
      putHead(deviceId, before, { sequence, ending: endsFlight(name) ? commandId : before.ending }),
      {
        TableName: table('commands'),
        Item: toItem(command, shareCode),
        ConditionExpression: 'attribute_not_exists(commandId)',
      },
    ],
    firstAnswer,
  );
};
