import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { Organisation, Resource } from '../../domain/values/id';
import { dynamodb, table } from '../store/dynamodb';
import { isCommandOnChannel, organisationLog, parseLogItem, type LogItem } from './log-items';

/** Pages of 1 MB that are searched at most: some seven thousand events. */
const MAX_PAGES = 5;

/**
 * The events about the commands that the channel of a job or a group carries, in order, between two numbers of the
 * organisation's log. The index has none of them, since it would cost each a write, for what is read only after a long
 * time without a connection. What was logged in the last seconds may be missing.
 * @returns undefined when too much has happened to search
 */
export async function readCarriedCommands(
  organisation: Organisation,
  channel: Resource,
  from: number,
  to: number,
): Promise<LogItem[] | undefined> {
  const pages = paginateQuery(
    { client: dynamodb },
    {
      TableName: table('events'),
      KeyConditionExpression: '#log = :log AND #number BETWEEN :from AND :to',
      // Little is transferred. Other events may contain both texts too.
      FilterExpression: 'contains(message, :type) AND contains(message, :id)',
      ExpressionAttributeNames: { '#log': 'log', '#number': 'number' },
      ExpressionAttributeValues: {
        ':log': organisationLog(organisation),
        ':from': from,
        ':to': to,
        ':type': 'command.status',
        ':id': channel.id,
      },
    },
  );
  const found: LogItem[] = [];
  let count = 0;
  for await (const { Items = [], LastEvaluatedKey } of pages) {
    found.push(...Items.map(parseLogItem).filter((item) => isCommandOnChannel(channel, item)));
    count += 1;
    if (count === MAX_PAGES && LastEvaluatedKey) return undefined;
  }
  return found;
}
