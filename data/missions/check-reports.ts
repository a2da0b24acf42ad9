/**
 * What the drone platform says of jobs that are checked: written by the consumer of its events, read by the call that
 * waits for it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { checkReport, type CheckReport } from '../../domain/dispatch/job-check';
import { dynamodb, table } from '../store/dynamodb';

/** How long a report lives, in seconds: far longer than any call waits for it. */
const TTL_S = 300;

/** Pauses before the reads of a report, in ms: two seconds in all. */
const PAUSES_MS = [50, 50, 100, 150, 200, 250, 300, 400, 500];

const checkKey = (requestId: string) => ({ id: `check#${requestId}` });

/** Stores what the platform says of a job. Nobody reads it if the call that asked has ended, or was none. */
export const saveCheckReport = (requestId: string, report: CheckReport, now: Date) =>
  dynamodb.send(
    new PutCommand({
      TableName: table('requests'),
      // As text: DynamoDB takes no number as near to 0 as JSON allows.
      Item: { ...checkKey(requestId), report: JSON.stringify(report), ttl: Math.floor(now.getTime() / 1000) + TTL_S },
    }),
  );

/**
 * Waits for what the platform says of a job, by consistent reads. An identifier that nobody can guess keeps reports apart.
 * @returns undefined when it is not there after two seconds
 */
export async function awaitCheckReport(requestId: string): Promise<CheckReport | undefined> {
  for (const milliseconds of PAUSES_MS) {
    await pause(milliseconds);
    const { Item } = await dynamodb.send(
      new GetCommand({ TableName: table('requests'), Key: checkKey(requestId), ConsistentRead: true }),
    );
    if (Item) return checkReport.parse(JSON.parse(String(Item['report'])));
  }
  return undefined;
}
