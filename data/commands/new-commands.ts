/**
 * New commands of a device, in one order: each is stored together with the head of the device's commands, on the condition that the
 * head is as it was read.
 */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { endsFlight } from '../../domain/command';
import type { CommandRecord } from '../../domain/command-record';
import { insertTogether, type FirstAnswer } from '../requests/idempotency';
import { dynamodb, table } from '../store/dynamodb';
import { toItem } from './command-item';

/** Sort key of the head; no command has such an id. */
const HEAD = 'head';

const head = z.object({
  /** Of the newest command. */
  sequence: z.int(),
  /** The newest command that ends the flight. */
  ending: z.optional(z.string()),
});

/** What the next command of a device builds on. */
export type Head = z.output<typeof head>;

/** The head of a device's commands; of a device that had none its number is 0. */
export async function readHead(deviceId: string): Promise<Head> {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('commands'), Key: { deviceId, commandId: HEAD }, ConsistentRead: true }),
  );
  return Item ? head.parse(Item) : { sequence: 0 };
}

/**
 * Stores a command after the others of its device.
 * @param before the head that it was made with
 * @param shareCode of a viewer's command
 * @returns false when the device got another command meanwhile
 * @throws AlreadyAnswered when the idempotency key has been used
 */
export const insertCommand = (
  command: CommandRecord,
  before: Head,
  shareCode?: string,
  firstAnswer?: FirstAnswer,
): Promise<boolean> => {
  const { deviceId, commandId, sequence, name } = command;
  const TableName = table('commands');
  return insertTogether(
    [
      {
        TableName,
        Item: { deviceId, commandId: HEAD, sequence, ending: endsFlight(name) ? commandId : before.ending },
        ...(before.sequence === 0
          ? { ConditionExpression: 'attribute_not_exists(deviceId)' }
          : {
              ConditionExpression: '#sequence = :before',
              ExpressionAttributeNames: { '#sequence': 'sequence' },
              ExpressionAttributeValues: { ':before': before.sequence },
            }),
      },
      { TableName, Item: toItem(command, shareCode), ConditionExpression: 'attribute_not_exists(commandId)' },
    ],
    firstAnswer,
  );
};
