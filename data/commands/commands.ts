import { GetCommand, paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { CommandRecord } from '../../domain/command-record';
import { timeoutBounds } from '../../domain/command';
import { commandStatuses, isEnded } from '../../domain/command-lifecycle';
import { organisationOf, type Organisation } from '../../domain/id';
import type { Job } from '../../domain/job';
import { FLOWN_ON_MS, isFinal } from '../../domain/job-lifecycle';
import { pageToken, readPageToken } from '../../domain/page-token';
import { Refusal } from '../../domain/refusal';
import { dynamodb, table } from '../store/dynamodb';
import { firstIdAt } from '../store/new-id';
import { pageOf, withOneMore } from '../store/page';
import { parseItems } from '../store/parse-items';
import { expectOwnDevice } from '../fleet/fleet';
import { fromItem, type CommandKey, type StoredCommand } from './command-item';

/** A command as it is stored, or undefined; one consistent read. */
export async function readCommand(key: CommandKey): Promise<StoredCommand | undefined> {
  const { deviceId, commandId } = key;
  if (organisationOf('command', commandId) === undefined) return undefined;
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('commands'), Key: { deviceId, commandId }, ConsistentRead: true }),
  );
  return fromItem(Item);
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

const commandOf = (found: Record<string, unknown>): CommandRecord | undefined => fromItem(found)?.command;
const commandsOf = (found: readonly Record<string, unknown>[]): CommandRecord[] =>
  parseItems(found, commandOf).flatMap((command) => command ?? []);

/**
 * A page of a device's commands, newest first, by one query; also those of a device that was removed.
 * @throws Refusal `invalid_request` for a page token of another list
 */
export async function listDeviceCommands(deviceId: string, { limit, nextToken }: CommandPage) {
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
  const page = pageOf(found, limit, 'commandId');
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
 * The newest commands of a job to a device, newest first, consistently: a hundred or more, if there are so many. They are searched among all
 * that the device got since the job was created, 8 MB at most: an index by job would cost each command a write, for a list that is seldom read.
 */
export async function listJobCommands(job: Job, deviceId: string): Promise<CommandRecord[]> {
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

/**
 * Pages of 1 MB that are searched at most for open commands: all of the longest timeout unless they are large, else the newest thousand. A
 * return waits for nobody's flood, and what is older ends by its own timeout.
 */
const MAX_PAGES = 8;

/**
 * The commands of a device without an outcome, newest first, among those that were requested within the longest timeout.
 * @param now the present
 */
export async function readOpenCommands(deviceId: string, now: Date): Promise<StoredCommand[]> {
  const since = new Date(now.getTime() - (timeoutBounds.maximum + MARGIN_S) * 1000).toISOString();
  const open = commandStatuses.filter((status) => !isEnded(status)).map((status, index) => [`:open${index}`, status]);
  const pages = paginateQuery(
    { client: dynamodb },
    {
      TableName: table('commands'),
      ConsistentRead: true,
      KeyConditionExpression: 'deviceId = :deviceId AND commandId BETWEEN :first AND :last',
      FilterExpression: `#status IN (${open.map(([name]) => name).join(', ')})`,
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':deviceId': deviceId,
        ':first': firstIdAt('command', organisationOf('device', deviceId) ?? '', since),
        ':last': 'command-~',
        ...(Object.fromEntries(open) as Record<string, string>),
      },
      ScanIndexForward: false,
    },
  );
  const found: Record<string, unknown>[] = [];
  let count = 0;
  for await (const { Items = [] } of pages) {
    found.push(...Items);
    count += 1;
    if (count === MAX_PAGES) break;
  }
  return parseItems(found, fromItem).flatMap((each) => each ?? []);
}

/** How late a timeout may be applied, in seconds: queues and retries take a while. */
const MARGIN_S = 300;
