import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { type Whereabouts, useLocalStack } from '../deployment/deployment';
import { readLine, type LogLine } from './way';

/** Most log groups, and most lines, of one query (CloudWatch Logs API reference, StartQuery). */
const MAX_LOG_GROUPS = 50;
const MAX_LINES = 10_000;
const POLL_MS = 1000;

const insightsQuery = (id: string): string =>
  `fields @log, @message | filter @message like "${id}" | sort @timestamp asc | limit ${MAX_LINES}`;

/**
 * Reads the lines that name an identifier from the logs of a deployment's functions.
 * @throws Error when they can't be read
 */
export async function readLines({ local, stack }: Whereabouts, id: string, since: Date, now: Date): Promise<LogLine[]> {
  if (!local) return readInsightsLines(stack ?? process.env['STACK_NAME'] ?? 'DroneMissionApi', id, since, now);
  await useLocalStack();
  const lines = await readLocalLines(process.env['LOCAL_DIR'] ?? '.local', id);
  return lines.filter(({ timestamp }) => timestamp >= since.toISOString());
}

/** Of the stack on this machine. @param folder its data folder */
async function readLocalLines(folder: string, id: string): Promise<LogLine[]> {
  const found: LogLine[] = [];
  const input = createReadStream(join(folder, 'functions.log'));
  for await (const text of createInterface({ input })) {
    const begin = text.indexOf('{');
    const line = text.includes(id) ? readLine(text.slice(0, begin).trim(), text.slice(begin)) : undefined;
    if (line) found.push(line);
  }
  return found;
}

/** Of the log groups of a stack, by CloudWatch Logs Insights. @throws Error when a query does not complete */
async function readInsightsLines(stack: string, id: string, since: Date, now: Date): Promise<LogLine[]> {
  const { CloudWatchLogsClient, StartQueryCommand, GetQueryResultsCommand } =
    await import('@aws-sdk/client-cloudwatch-logs');
  const client = new CloudWatchLogsClient();
  const groups = await logGroupsOf(stack);
  const found: LogLine[] = [];
  for (let from = 0; from < groups.length; from += MAX_LOG_GROUPS) {
    const { queryId } = await client.send(
      new StartQueryCommand({
        logGroupNames: groups.slice(from, from + MAX_LOG_GROUPS),
        queryString: insightsQuery(id),
        startTime: Math.floor(since.getTime() / 1000),
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
