import { QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import type { Resource } from '../../domain/values/id';
import { dynamodb, table } from '../store/dynamodb';
import { channelLog, HEAD, sortedByNumber, parseLogItem, type LogItem } from './log-items';

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

/**
 * The events of a channel, in order, by the index: none about commands, and what was logged in the last seconds may be
 * missing.
 */
export async function readIndex(
  channel: Resource,
  { from = 1, to = HEAD, most, isFromEnd = false }: Range,
): Promise<LogItem[]> {
  const found: LogItem[] = [];
  let key: QueryCommandOutput['LastEvaluatedKey'];
  do {
    const page: QueryCommandOutput = await dynamodb.send(
      new QueryCommand({
        TableName: table('events'),
        IndexName: 'by-channel',
        KeyConditionExpression: '#channel = :channel AND #number BETWEEN :from AND :to',
        ExpressionAttributeNames: { '#channel': 'channel', '#number': 'number' },
        ExpressionAttributeValues: { ':channel': channelLog(channel), ':from': from, ':to': to },
        ScanIndexForward: !isFromEnd,
        Limit: most - found.length,
        ...(key && { ExclusiveStartKey: key }),
      }),
    );
    found.push(...(page.Items ?? []).map(parseLogItem));
    key = page.LastEvaluatedKey;
  } while (key && found.length < most);
  return sortedByNumber(found);
}
