import { setTimeout as pause } from 'node:timers/promises';
import { QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import { dynamodb, table } from '../store/dynamodb';
import { endWithoutEvents, HEAD, organisationLog, parseLogItem, type LogItem } from './log-items';
import { formatCursor, notYetIssued, readCursor } from '../../domain/events/cursor';
import type { Organisation } from '../../domain/values/id';

/**
 * How long an event may take until the index has it, in seconds. It normally takes a fraction of one (developer guide, "Using
 * Global Secondary Indexes"); what is younger is read from the organisation's list.
 */
export const INDEXED_S = 10;

/** Attempts to read the end without a hole, and the delay between them in ms: a query may see a part of a transaction. */
const MAX_ATTEMPTS = 4;
const RETRY_DELAY_MS = 25;

/** A part of a log to read backwards. */
interface Range {
  /** First number. */
  readonly from: number;
  /** Last number; default: the end of the log. */
  readonly to?: number;
  /** How many events are read, if there are that many. */
  readonly least: number;
  /** More are read until one was logged before this time, Unix seconds; default: no more. */
  readonly since?: number;
  /** After how many events no more are read; default: never. */
  readonly enough?: number;
}

/** What was read of a range. */
interface Found {
  /** In order. */
  readonly events: readonly LogItem[];
  /** Whether the range has more, which are older. */
  readonly isCut: boolean;
}

/** Reads a part of a log backwards by one query, or a few when a lot has happened since the time that the range names. */
export async function readBack(
  organisation: Organisation,
  { from, to = HEAD, least, since = Infinity, enough = Infinity }: Range,
  ConsistentRead = true,
): Promise<Found & { readonly head: unknown }> {
  const items: Record<string, unknown>[] = [];
  const isHead = (item: Record<string, unknown>) => item['number'] === HEAD;
  const oldest = () => items.findLast((item) => !isHead(item));
  let key: QueryCommandOutput['LastEvaluatedKey'];
  do {
    const page: QueryCommandOutput = await dynamodb.send(
      new QueryCommand({
        TableName: table('events'),
        KeyConditionExpression: '#log = :log AND #number BETWEEN :from AND :to',
        ExpressionAttributeNames: { '#log': 'log', '#number': 'number' },
        ExpressionAttributeValues: { ':log': organisationLog(organisation), ':from': from, ':to': to },
        ScanIndexForward: false,
        ConsistentRead,
        // One more for the head. Pages grow, since it is not known how much has happened.
        Limit: Math.max(least + 1, items.length),
        ...(key && { ExclusiveStartKey: key }),
      }),
    );
    items.push(...(page.Items ?? []));
    key = page.LastEvaluatedKey;
  } while (key && items.length < enough && (items.length < least || Number(oldest()?.['loggedAt'] ?? 0) >= since));
  const events = items.filter((item) => !isHead(item)).map(parseLogItem);
  return { events: events.toReversed(), isCut: key !== undefined, head: items.find(isHead) };
}

/** The end of a log. */
export interface LogEnd extends Found {
  /** Number of the last event; of a log whose events have all expired, that of the last one that it can have had. */
  readonly last: number;
}

/**
 * Reads the end of a log: at least so many events, and all of the last ten seconds, so that the index has what is older.
 * @param from first number to read
 */
export async function readEnd(organisation: Organisation, from: number, least: number): Promise<LogEnd> {
  for (let attempt = 1; ; attempt++) {
    const since = Math.floor(Date.now() / 1000) - INDEXED_S;
    const { head, ...found } = await readBack(organisation, { from, least, since });
    const last = found.events.at(-1)?.number ?? endWithoutEvents(head);
    // Old ones have been deleted, in any order.
    const isAfterHole = ({ number, loggedAt }: LogItem, index: number) =>
      loggedAt >= since && number > from && found.events[index - 1]?.number !== number - 1;
    if (attempt === MAX_ATTEMPTS || !found.events.some(isAfterHole)) return { ...found, last };
    await pause(RETRY_DELAY_MS);
  }
}

/**
 * The number of the last event of a log, by one query.
 * @param ConsistentRead false where a second matters less than half the price
 */
export async function findLast(organisation: Organisation, ConsistentRead = true): Promise<number> {
  const { events, head } = await readBack(organisation, { from: 1, least: 1 }, ConsistentRead);
  return events.at(-1)?.number ?? endWithoutEvents(head);
}

/** The cursor of an organisation's last event, by one strongly consistent query. */
export const lastCursor = async (organisation: Organisation): Promise<string> =>
  formatCursor(organisation, await findLast(organisation));

/**
 * Reads a cursor that a client sent, by one strongly consistent query.
 * @returns the number of its event
 * @throws Refusal `invalid_request` when it is none, another organisation's, or not issued yet
 */
export async function findCursor(caller: Organisation, cursor: string): Promise<number> {
  const number = readCursor(caller, cursor);
  if (number > (await findLast(caller))) throw notYetIssued();
  return number;
}
