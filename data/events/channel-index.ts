import { QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import type { Resource } from '../../domain/id';
import { dynamodb, table } from '../store/dynamodb';
import { channelLog, HEAD, inOrder, readItem, type LogItem } from './log-items';

/** A part of a channel's events. */
export interface Range {
  /** First number; default: the first of the log. */
  readonly from?: number;
  /** Last number; default: the end of the log. */
  readonly to?: number;
  /** How many are read at most. */
  readonly most: number;
  /** The last ones instead of the first ones, if there are more. */
  readonly isFromEnd?: boolean;
}

/** The events of a channel, in order, by the index: what was logged in the last seconds may be missing. */
export async function readIndex(
  channel: Resource,
  { from = 1, to = HEAD, most, isFromEnd = false }: Range,
): Promise<LogItem[]> {
  const found: LogItem[] = [];
  let key: QueryCommandOutput['LastEvaluatedKey'];
  do {
    const page: QueryCommandOutput = await dynamodb.send(
      new QueryCommand({
        ...queryOf(channel, from, to),
        ScanIndexForward: !isFromEnd,
        Limit: most - found.length,
        ...(key && { ExclusiveStartKey: key }),
      }),
    );
    found.push(...(page.Items ?? []).map(readItem));
    key = page.LastEvaluatedKey;
  } while (key && found.length < most);
  return inOrder(found);
}

/** Pages of 1 MB that are searched for the commands of a job at most: some ten thousand events. */
const MAX_PAGES = 5;

/**
 * The events of a job's commands, in order. The index has them among those of the device's group, since an index of their own would cost
 * each of them a write, for what is read only after a long time without a connection.
 * @returns undefined when the group has had too many events to search
 */
export async function readCommandsOfJob(
  job: Resource,
  deviceGroupId: string,
  { from = 1, to = HEAD }: Pick<Range, 'from' | 'to'>,
): Promise<LogItem[] | undefined> {
  const { ExpressionAttributeValues, ...query } = queryOf({ kind: 'group', id: deviceGroupId }, from, to);
  const found: LogItem[] = [];
  let key: QueryCommandOutput['LastEvaluatedKey'];
  for (let count = 0; count < MAX_PAGES; count++) {
    const page: QueryCommandOutput = await dynamodb.send(
      new QueryCommand({
        ...query,
        FilterExpression: 'secondChannel = :job',
        ExpressionAttributeValues: { ...ExpressionAttributeValues, ':job': channelLog(job) },
        ...(key && { ExclusiveStartKey: key }),
      }),
    );
    found.push(...(page.Items ?? []).map(readItem));
    key = page.LastEvaluatedKey;
    if (!key) return inOrder(found);
  }
  return undefined;
}

const queryOf = (channel: Resource, from: number, to: number) => ({
  TableName: table('events'),
  IndexName: 'by-channel',
  KeyConditionExpression: '#channel = :channel AND #number BETWEEN :from AND :to',
  ExpressionAttributeNames: { '#channel': 'channel', '#number': 'number' },
  ExpressionAttributeValues: { ':channel': channelLog(channel), ':from': from, ':to': to },
});
