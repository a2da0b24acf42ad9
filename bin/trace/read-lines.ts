import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { type Whereabouts, useLocalStack } from '../deployment/deployment';
import { inOrder, readLine, type LogLine } from './way';

/** Most log groups, and most lines, of one query (CloudWatch Logs API reference, StartQuery). */
const MAX_LOG_GROUPS = 50;
const MAX_LINES = 10_000;
const POLL_MS = 1000;

const insightsQuery = ({ id, with: also, leftOut }: Wanted): string =>
  [
    'fields @log, @message',
    `filter @message like "${id}"${also === undefined ? '' : ` or @message like "${also}"`}`,
    ...(leftOut === undefined ? [] : [`filter @message not like "${leftOut}"`]),
    // A query that finds more leaves out the oldest.
    'sort @timestamp desc',
    `limit ${MAX_LINES}`,
  ].join(' | ');

/** Which lines are read. */
interface Wanted {
  readonly id: string;
  readonly since: Date;
  /** The message of lines that are read too, though they don't name it. */
  readonly with?: string | undefined;
  /** The message of those that are not, of which there may be more than {@link MAX_LINES}. */
  readonly leftOut?: string | undefined;
}

/**
 * Reads the lines that name an identifier from the logs of a deployment's functions.
 * @returns them in the order of their times
 * @throws Error when they can't be read
 */
export async function readLines({ local, stack }: Whereabouts, wanted: Wanted, now: Date): Promise<LogLine[]> {
  if (!local)
    return inOrder(await readInsightsLines(stack ?? process.env['STACK_NAME'] ?? 'DroneMissionApi', wanted, now));
  await useLocalStack();
  const lines = await readLocalLines(process.env['LOCAL_DIR'] ?? '.local', wanted);
  return inOrder(
    lines.filter(({ timestamp, message }) => timestamp >= wanted.since.toISOString() && message !== wanted.leftOut),
  );
}

/** Of the stack on this machine. @param folder its data folder */
async function readLocalLines(folder: string, { id, with: also }: Wanted): Promise<LogLine[]> {
  const found: LogLine[] = [];
  const input = createReadStream(join(folder, 'functions.log'));
  for await (const text of createInterface({ input })) {
    const begin = text.indexOf('{');
    const isNamed = text.includes(id) || (also !== undefined && text.includes(also));
    const line = isNamed ? readLine(text.slice(0, begin).trim(), text.slice(begin)) : undefined;
    if (line) found.push(line);
  }
  return found;
}

/** Of the log groups of a stack, by CloudWatch Logs Insights. @throws Error when a query does not complete */
async function readInsightsLines(stack: string, wanted: Wanted, now: Date): Promise<LogLine[]> {
  const { CloudWatchLogsClient, StartQueryCommand, GetQueryResultsCommand } =
    await import('@aws-sdk/client-cloudwatch-logs');
  const client = new CloudWatchLogsClient();
  const groups = await logGroupsOf(stack);
  const found: LogLine[] = [];
  for (let from = 0; from < groups.length; from += MAX_LOG_GROUPS) {
    const { queryId } = await client.send(
      new StartQueryCommand({
        logGroupNames: groups.slice(from, from + MAX_LOG_GROUPS),
        queryString: insightsQuery(wanted),
        startTime: Math.floor(wanted.since.getTime() / 1000),
        endTime: Math.ceil(now.getTime() / 1000),
      }),
    );
    for (;;) {
      const { status = 'Unknown', results = [] } = await client.send(new GetQueryResultsCommand({ queryId }));
      if (status === 'Scheduled' || status === 'Running') {
        await pause(POLL_MS);
        continue;
      }
      if (status !== 'Complete') throw new Error(`the query of the logs ended as ${status}`);
      for (const fields of results) {
        const valueOf = (name: string) => fields.find(({ field }) => field === name)?.value ?? '';
        const line = readLine(valueOf('@log').replace(/^\d+:/, ''), valueOf('@message').trim());
        if (line) found.push(line);
      }
      break;
    }
  }
  return found;
}

/** Names of the log groups of a stack. */
async function logGroupsOf(StackName: string): Promise<string[]> {
  const { CloudFormationClient, paginateListStackResources } = await import('@aws-sdk/client-cloudformation');
  const names: string[] = [];
  for await (const { StackResourceSummaries = [] } of paginateListStackResources(
    { client: new CloudFormationClient() },
    { StackName },
  ))
    for (const { ResourceType, PhysicalResourceId } of StackResourceSummaries)
      if (ResourceType === 'AWS::Logs::LogGroup' && PhysicalResourceId) names.push(PhysicalResourceId);
  return names;
}
