import { QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import type { Resource } from '../../domain/id';
import { dynamodb, table } from '../store/dynamodb';
import { channelLog, HEAD, inOrder, readItem, type LogItem } from './log-items';

/** A part of a channel's events. */
interface Range {
  /** First number; default: the first of the log. */
  readonly from?: number;
  /** Last number; default: the end of the log. */
  readonly to?: number;
  /** How many are read at most. */
  readonly most: number;
  /** The last ones instead of the first ones, if there are more. */
  readonly isFromEnd?: boolean;
}

/** The events that are first of all of a channel, and those that are of two, by the channel that is named second. */
type Index = 'by-channel' | 'by-second-channel';

const attributes = { 'by-channel': 'channel', 'by-second-channel': 'secondChannel' } as const;

/** The events of a channel, in order, by an index: what was logged in the last seconds may be missing. */
export async function readIndex(
  channel: Resource,
  { from = 1, to = HEAD, most, isFromEnd = false }: Range,
  index: Index = 'by-channel',
): Promise<LogItem[]> {
  const found: LogItem[] = [];
  let key: QueryCommandOutput['LastEvaluatedKey'];
  do {
    const page: QueryCommandOutput = await dynamodb.send(
      new QueryCommand({
        TableName: table('events'),
        IndexName: index,
        KeyConditionExpression: '#channel = :channel AND #number BETWEEN :from AND :to',
        ExpressionAttributeNames: { '#channel': attributes[index], '#number': 'number' },
        ExpressionAttributeValues: { ':channel': channelLog(channel), ':from': from, ':to': to },
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

/** {@link readIndex} by both indexes, of a job: other channels are never second. */
export async function readIndexes(channel: Resource, range: Range): Promise<LogItem[]> {
  const second = channel.kind === 'job' ? readIndex(channel, range, 'by-second-channel') : [];
  return inOrder((await Promise.all([readIndex(channel, range), second])).flat());
}
