import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Organisation, Resource } from '../../domain/values/id';
import type { StatusMessage } from '../../domain/channels/status-message';
import { PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, table } from '../store/dynamodb';
import { setting } from '../store/environment';
import { channelLog, HEAD, organisationLog, parseLogItem, endOfThousand, type LogItem } from './log-items';

/** A change to append, in the order in which it became known. */
export interface NewEvent {
  /** The resource in whose timeline it is, by an index that costs a write unit; one about a command is in none. */
  readonly channel?: Resource | undefined;
  readonly message: StatusMessage;
  /** Time of the stream record, Unix seconds. */
  readonly createdAt: number;
}

/** Items in a transaction (DynamoDB API reference, TransactWriteItems): one for each event, and the head. */
export const MAX_EVENTS = 99;

const days = (name: string) => Number(setting(name)) * 24 * 60 * 60;

/** The timeline of a job is kept as long as the record of its flight, and what is kept longest is stored for that long. */
const storedSeconds = () => Math.max(days('EVENT_RETENTION_DAYS'), days('FLIGHT_RETENTION_DAYS'));

function putOf(organisation: Organisation, number: number, { channel, message }: NewEvent, now: number) {
  return {
    TableName: table('events'),
    Item: {
      log: organisationLog(organisation),
      number,
      ...(channel && { channel: channelLog(channel) }),
      message: JSON.stringify(message),
      loggedAt: now,
      keptUntil: now + days('EVENT_RETENTION_DAYS'),
      ttl: now + storedSeconds(),
    },
    ConditionExpression: 'attribute_not_exists(#log)',
    ExpressionAttributeNames: { '#log': 'log' },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

/** Others have appended at the same time. */
export interface LostRace {
  /** Their events under the numbers that were tried, as far as the failed conditions returned them. */
  readonly winners: readonly LogItem[];
  readonly error: unknown;
}

/** @throws the error itself when it is none of a lost race */
function lostRace(error: unknown): LostRace {
  if (error instanceof TransactionConflictException) return { winners: [], error };
  if (error instanceof ConditionalCheckFailedException) return { winners: itemsOf([error]), error };
  if (!(error instanceof TransactionCanceledException)) throw error;
  const reasons = error.CancellationReasons ?? [];
  const codes = reasons.map(({ Code }) => Code ?? 'None');
  if (!codes.every((code) => ['None', 'TransactionConflict', 'ConditionalCheckFailed'].includes(code))) throw error;
  return { winners: itemsOf(reasons), error };
}

const itemsOf = (reasons: readonly { readonly Item?: Parameters<typeof unmarshall>[0] | undefined }[]) =>
  reasons.flatMap(({ Item }) => (Item ? [parseLogItem(unmarshall(Item))] : []));

/**
 * Writes events under the numbers after the last one, each only if the number is free: one event by a put, several by a
 * transaction, which costs twice as much and no longer than one.
 * @param last number that is known to be given, so that no number is written before a smaller one
 * @param now Unix seconds
 * @returns undefined when they are written
 */
export async function writeEvents(
  organisation: Organisation,
  last: number,
  events: readonly NewEvent[],
  now: number,
): Promise<LostRace | undefined> {
  const puts = events.map((event, index) => putOf(organisation, last + 1 + index, event, now));
  const next = last + events.length;
  const Head = { TableName: table('events'), Item: { log: organisationLog(organisation), number: HEAD, last: next } };
  const heads = endOfThousand(next) > endOfThousand(last) ? [Head] : [];
  const [first, ...others] = [...puts, ...heads];
  if (!first) return undefined;
  try {
    if (others.length === 0) await dynamodb.send(new PutCommand(first));
    else await dynamodb.send(new TransactWriteCommand({ TransactItems: [first, ...others].map((Put) => ({ Put })) }));
    return undefined;
  } catch (error) {
    return lostRace(error);
  }
}
