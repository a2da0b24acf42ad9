import { GetCommand, paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { timeoutBounds } from '../../domain/commands/command-timeout';
import { isEnded, openCommandStatuses } from '../../domain/commands/command-lifecycle';
import { organisationOf, type Organisation } from '../../domain/values/id';
import type { Job } from '../../domain/jobs/job';
import { FLOWN_ON_MS, isFinal } from '../../domain/jobs/job-lifecycle';
import { pageToken, readPageToken } from '../../domain/values/page-token';
import { Refusal } from '../../domain/values/refusal';
import { dynamodb, table } from '../store/dynamodb';
import { cutPage, parseItems, readNewIndex, withOneMore } from '../store/query';
import { firstIdAt } from '../store/new-id';
import { expectOwnDevice } from '../fleet/registered-parts';
import { commandRecord, type CommandRecord } from '../../domain/commands/command-record';
import { metadataText, readMetadata } from '../store/metadata-text';

/** A command as it is stored, or undefined; one consistent read. */
export async function readCommand(key: CommandKey): Promise<StoredCommand | undefined> {
  const { deviceId, commandId } = key;
  if (organisationOf('command', commandId) === undefined) return undefined;
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('commands'), Key: { deviceId, commandId }, ConsistentRead: true }),
  );
  return commandFromItem(Item);
}

/**
 * A command of a device of the organisation.
 * @throws Refusal `command_not_found`; those of `expectOwnDevice`
 */
export async function findCommand(caller: Organisation, key: CommandKey): Promise<CommandRecord> {
  expectOwnDevice(caller, key.deviceId);
  const found = await readCommand(key);
  if (!found) throw new Refusal('command_not_found');
  return found.command;
}

export interface CommandPage {
  readonly limit: number;
  readonly nextToken?: string | undefined;
}

const commandOf = (found: Record<string, unknown>): CommandRecord | undefined => commandFromItem(found)?.command;
const commandsOf = (found: readonly Record<string, unknown>[]): CommandRecord[] =>
  parseItems(found, commandOf).flatMap((command) => command ?? []);

/**
 * A page of a device's commands, newest first, by one query; also those of a device that was removed.
 * @throws Refusal `invalid_request` for a page token of another list
 */
export async function readDeviceCommands(deviceId: string, { limit, nextToken }: CommandPage) {
  const list = `commands ${deviceId}`;
  const found = await dynamodb.send(
    new QueryCommand({
      TableName: table('commands'),
      ConsistentRead: true,
      // Without the head of the device's commands.
      KeyConditionExpression: 'deviceId = :deviceId AND begins_with(commandId, :kind)',
      ExpressionAttributeValues: { ':deviceId': deviceId, ':kind': 'command-' },
      ScanIndexForward: false,
      Limit: withOneMore(limit),
      ...(nextToken !== undefined && {
        ExclusiveStartKey: { deviceId, commandId: readPageToken(list, nextToken) },
      }),
    }),
  );
  const page = cutPage(found, limit, 'commandId');
  return { commands: commandsOf(page.items), nextToken: page.after && pageToken(list, page.after) };
}

/** Most commands of a job in an answer: the newest ones. */
const MAX_OF_JOB = 100;

/** The newest hundred of these commands of a job, newest first. */
export const newestOfJob = (commands: readonly CommandRecord[]): CommandRecord[] =>
  commands.toSorted((one, other) => (one.commandId < other.commandId ? 1 : -1)).slice(0, MAX_OF_JOB);

/** Pages of 1 MB in which the commands of a job to a device are searched at most, from the newest on. */
const MAX_PAGES_OF_JOB = 8;

/**
 * The newest commands of a job to a device, newest first, consistently: a hundred or more, if there are so many. They
 * are searched among all that the device got since the job was created, 8 MB at most: an index by job would cost each
 * command a write, for a list that is seldom read.
 */
export async function readJobCommands(job: Job, deviceId: string): Promise<CommandRecord[]> {
  const organisation = organisationOf('device', deviceId) ?? '';
  const found: CommandRecord[] = [];
  const pages = paginateQuery(
    { client: dynamodb },
    {
      TableName: table('commands'),
      ConsistentRead: true,
      KeyConditionExpression: 'deviceId = :deviceId AND commandId BETWEEN :first AND :last',
      FilterExpression: 'jobId = :jobId',
      ExpressionAttributeValues: {
        ':deviceId': deviceId,
        ':first': firstIdAt('command', organisation, job.createdAt),
        ':last': isFinal(job.status) ? firstIdAt('command', organisation, flownOnUntil(job)) : 'command-~',
        ':jobId': job.jobId,
      },
      ScanIndexForward: false,
    },
  );
  let count = 0;
  for await (const { Items = [] } of pages) {
    found.push(...commandsOf(Items));
    count += 1;
    if (found.length >= MAX_OF_JOB || count === MAX_PAGES_OF_JOB) break;
  }
  return found;
}

/** Until when a device may have got commands of a job that has ended, ISO 8601. A later change of the job only moves it on. */
const flownOnUntil = ({ updatedAt }: Job) => new Date(Date.parse(updatedAt) + FLOWN_ON_MS).toISOString();

/** A command without an outcome, as far as that is needed to end it. */
export interface OpenCommand extends CommandKey {
  /** Its number in the order of the device's commands. */
  readonly sequence: number;
  /** Of a viewer's command. */
  readonly shareCode?: string | undefined;
}

const openCommand = z.object({
  deviceId: z.string(),
  commandId: z.string(),
  sequence: commandRecord.shape.sequence,
  shareCode: z.optional(z.string()),
});
/** One of the newest, which may have ended. */
const newest = z.extend(openCommand, { status: commandRecord.shape.status });

/**
 * The newest commands of a device that are read from the table, since the index may lack them. They are those of six
 * seconds at the device's limit, and of 8 kB each they cost 130 read units.
 */
const NEWEST = 64;

/**
 * The commands of a device without an outcome among those that were requested within the longest timeout: the index has
 * no others, however many have ended; of the newest the table has the last word.
 * @param now the present
 */
export async function readOpenCommands(deviceId: string, now: Date): Promise<OpenCommand[]> {
  const open = new Map<string, OpenCommand>();
  for await (const items of readNewIndex(openOn(deviceId, now), () => searchOpen(deviceId, now)))
    for (const found of parseItems(items, (item) => openCommand.parse(item))) open.set(found.commandId, found);
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({ ...ofDevice(deviceId), ConsistentRead: true, ScanIndexForward: false, Limit: NEWEST }),
  );
  for (const { status, ...found } of parseItems(Items, (item) => newest.parse(item)))
    if (isEnded(status)) open.delete(found.commandId);
    else open.set(found.commandId, found);
  return [...open.values()];
}

/**
 * Since when a command may be open: an earlier one has ended by its timeout, whatever a function of before has left in
 * the index.
 */
const openSince = (deviceId: string, now: Date): string => {
  const since = new Date(now.getTime() - (timeoutBounds.maximum + MARGIN_S) * 1000).toISOString();
  return firstIdAt('command', organisationOf('device', deviceId) ?? '', since);
};

const openOn = (deviceId: string, now: Date) => ({
  TableName: table('commands'),
  IndexName: 'open',
  KeyConditionExpression: 'openOn = :deviceId AND commandId >= :first',
  ExpressionAttributeValues: { ':deviceId': deviceId, ':first': openSince(deviceId, now) },
});

/** The query of a device's commands, without the head. */
const ofDevice = (deviceId: string) => ({
  TableName: table('commands'),
  KeyConditionExpression: 'deviceId = :deviceId AND begins_with(commandId, :kind)',
  ProjectionExpression: 'deviceId, commandId, #status, #sequence, shareCode',
  ExpressionAttributeNames: { '#status': 'status', '#sequence': 'sequence' },
  ExpressionAttributeValues: { ':deviceId': deviceId, ':kind': 'command-' },
});

/** Pages of 1 MB that are searched at most without the index: of commands that are not large, all within the longest timeout. */
const MAX_PAGES = 8;

const openNames = openCommandStatuses.map((_, index) => `:open${index}`);

/** The commands of a device without an outcome, newest first, among those that were requested within the longest timeout. */
async function* searchOpen(deviceId: string, now: Date): AsyncGenerator<Record<string, unknown>[]> {
  const pages = paginateQuery(
    { client: dynamodb },
    {
      ...ofDevice(deviceId),
      ConsistentRead: true,
      KeyConditionExpression: 'deviceId = :deviceId AND commandId BETWEEN :first AND :last',
      FilterExpression: `#status IN (${openNames.join(', ')})`,
      ExpressionAttributeValues: {
        ':deviceId': deviceId,
        ':first': openSince(deviceId, now),
        ':last': 'command-~',
        ...Object.fromEntries(openNames.map((name, index) => [name, openCommandStatuses[index]])),
      },
      ScanIndexForward: false,
    },
  );
  let count = 0;
  for await (const { Items = [] } of pages) {
    yield Items;
    count += 1;
    if (count === MAX_PAGES) break;
  }
}

/** How late a timeout may be applied, in seconds: queues and retries take a while. */
const MARGIN_S = 300;

/** How long a command is kept after its request, in seconds: as long as the track of a job, 90 days. */
const KEPT_S = 90 * 86_400;

const item = z.object({
  ...commandRecord.shape,
  parameters: z.pipe(z.transform(readMetadata), commandRecord.shape.parameters),
  /** Of a viewer's command: whose viewers hear of it. It gives access, so it is part of no answer. */
  shareCode: z.optional(z.string()),
  changeId: z.optional(z.string()),
});

/** A command with what is nobody's but this service's. */
export interface StoredCommand {
  readonly command: CommandRecord;
  readonly shareCode: string | undefined;
  readonly changeId: string | undefined;
}

export interface CommandKey {
  readonly deviceId: string;
  readonly commandId: string;
}

export const commandToItem = (command: CommandRecord, shareCode: string | undefined) => ({
  ...command,
  // DynamoDB takes no number as near to 0 as a coordinate may be.
  parameters: metadataText(command.parameters),
  shareCode,
  // The key of the index of open commands.
  openOn: isEnded(command.status) ? undefined : command.deviceId,
  ttl: Math.floor(Date.parse(command.requestedAt) / 1000) + KEPT_S,
});

/** Parses the item of a command. @throws Error for an item that this service never wrote */
export function commandFromItem(found: Record<string, unknown> | undefined): StoredCommand | undefined {
  if (!found) return undefined;
  const { shareCode, changeId, ...command } = item.parse(found);
  return { command, shareCode, changeId };
}
