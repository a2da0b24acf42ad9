/** The head of a device's commands: what the next command builds on, and who holds the device. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { controlLease, type ControlLease } from '../../domain/commands/control-lease';
import { insertTogether, type ConditionalPut, type FirstAnswer } from '../store/first-answers';
import { dynamodb, table } from '../store/dynamodb';
import { endsFlight } from '../../domain/commands/stops';
import type { CommandRecord } from '../../domain/commands/command-record';
import { stopsWith } from '../../domain/commands/joined-stop';
import { commandToItem } from './commands';

/** Sort key of the head; no command has such an id. */
const HEAD = 'head';

const commandHead = z.object({
  /** Of the newest command. */
  sequence: z.int(),
  /** The newest command, when it was asked for; ISO 8601. Heads of before have none. */
  newest: z.optional(z.object({ commandId: z.string(), name: z.string(), requestedAt: z.string() })),
  /** The newest stops by who is told of them, as long as all were the same one. */
  stops: z.optional(z.record(z.string(), z.string())),
  /** The newest command that ends the flight. */
  ending: z.optional(z.string()),
  /** The commands of the newest minute that count against the device's limit. */
  counted: z.optional(z.object({ start: z.int(), calls: z.int() })),
  /** Who holds the device, or held it last. */
  control: z.optional(controlLease),
  /** Incremented with every write. Heads of before there were leases have none. */
  revision: z.optional(z.int()),
});
export type Head = z.output<typeof commandHead>;

/** The head of a device's commands; of a device that had none its number is 0. */
export async function readHead(deviceId: string): Promise<Head> {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('commands'), Key: { deviceId, commandId: HEAD }, ConsistentRead: true }),
  );
  return Item ? commandHead.parse(Item) : { sequence: 0 };
}

/**
 * That a head is as it was read. The number is compared beside the revision for functions of before that still run
 * during an update: they write it without one.
 */
function unchanged({ sequence, revision }: Head) {
  if (sequence === 0 && revision === undefined) return { ConditionExpression: 'attribute_not_exists(deviceId)' };
  return {
    ConditionExpression: `#sequence = :sequence AND ${revision === undefined ? 'attribute_not_exists(revision)' : 'revision = :revision'}`,
    ExpressionAttributeNames: { '#sequence': 'sequence' },
    ExpressionAttributeValues: { ':sequence': sequence, ...(revision !== undefined && { ':revision': revision }) },
  };
}

/** The put of a head in place of the one that was read, if nobody has written it since. */
const putHead = (deviceId: string, before: Head, change: Omit<Partial<Head>, 'revision'>): ConditionalPut => ({
  TableName: table('commands'),
  Item: { deviceId, commandId: HEAD, ...before, ...change, revision: (before.revision ?? 0) + 1 },
  ...unchanged(before),
});

/**
 * Stores who holds a device; undefined: nobody. A transaction, since a single write fails when it meets that of a command.
 * @param before the head that it was decided by
 * @returns false when the head has been written meanwhile
 */
export const saveControl = (deviceId: string, before: Head, control: ControlLease | undefined): Promise<boolean> =>
  insertTogether([putHead(deviceId, before, { control })]);

/** What is stored with a command. */
interface StoredWith {
  /** The device's commands of this minute, if this one counts. */
  readonly counted?: Head['counted'];
  /** Of a viewer's command. */
  readonly shareCode?: string | undefined;
  readonly firstAnswer?: FirstAnswer | undefined;
}

/**
 * Stores a command after the others of its device, together with the head, if that is as it was read.
 * @param before the head that it was made with
 * @returns false when the device got another command, or another holder, meanwhile
 * @throws AlreadyAnswered when the idempotency key has been used
 */
export const insertCommand = (
  command: CommandRecord,
  before: Head,
  { counted, shareCode, firstAnswer }: StoredWith = {},
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
