import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { GetQueueAttributesCommand, ListQueuesCommand } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { access, stackName, queues } from '../../api/stack/aws-access';
import { runCommand } from '../../outsiders/processes';
import { pythonWith } from '../../outsiders/install';

const page = readFileSync(join(__dirname, '../../../docs/runbooks/dead-letter-queues.md'), 'utf8');

/** The commands of the page by an operation that only this block has; an indented block belongs to a step. */
const blocks = [...page.matchAll(/^( *)```bash\n([^]*?)\n\1```$/gm)].map(([, indent = '', text = '']) =>
  text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
);
const unused = new Set(blocks);

function blockWith(operation: string): string {
  const found = blocks.filter((block) => block.includes(operation));
  if (found.length !== 1) throw new Error(`${found.length} blocks of the runbook have ${operation}`);
  for (const block of found) unused.delete(block);
  return found.join('');
}

/** Blocks of the page that have not been run. */
export const blocksNotRun = (): readonly string[] => [...unused];

/** A person on call with the page, the AWS CLI and jq. */
export interface OnCall {
  /**
   * Runs the block that has this operation, with the variables of the blocks before.
   * @returns what it prints
   * @throws Error when a command fails
   */
  run(operation: string, variables?: Readonly<Record<string, string>>): Promise<string>;
  /** Content of a file that a block has written. */
  written(file: string): string;
  /** Removes what the blocks have written. */
  end(): void;
}

/** Installs the AWS CLI. @returns the interpreter that runs it */
export const installCli = () => pythonWith('aws-cli', join(__dirname, 'requirements.txt'));

/** @param alarm that fired @param python interpreter with the AWS CLI */
export function onCall(alarm: string, python: string): OnCall {
  const folder = mkdtempSync(join(tmpdir(), 'on-call-'));
  const state = join(folder, 'state');
  const { endpoint = '', region = '', credentials } = access();
  // Version 1 of the CLI has no variable for the endpoint of SQS.
  writeFileSync(join(folder, 'aws'), `#!/bin/sh\nexec "${python}" -m awscli --endpoint-url "${endpoint}" "$@"\n`);
  chmodSync(join(folder, 'aws'), 0o700);
  const env = {
    PATH: [folder, process.env['PATH']].join(delimiter),
    AWS_CONFIG_FILE: join(folder, 'config'),
    AWS_PAGER: '',
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: credentials?.accessKeyId ?? '',
    AWS_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '',
    STACK: stackName(),
    ALARM: alarm,
  };

  return {
    async run(operation, variables = {}) {
      const before = `set -euo pipefail; if [ -f "${state}" ]; then . "${state}"; fi`;
      const assignments = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
      const text = replaced(blockWith(operation), variables);
      const after = `declare -p DEAD ORIGIN > "${state}"`;
      const script = [before, ...assignments, text, after].join('\n');
      const { stdout } = await runCommand('bash', ['--norc', '-c', script], { cwd: folder, env, timeoutMs: 60_000 });
      return stdout;
    },
    written: (file) => (existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : ''),
    end: () => rmSync(folder, { recursive: true }),
  };
}

/** The block with the values that a person would write into it. */
const replaced = (text: string, variables: Readonly<Record<string, string>>) =>
  Object.entries(variables).reduce(
    (block, [name, value]) => block.replace(new RegExp(`\\b${name}=\\S+`), `${name}='${value}'`),
    text,
  );

const template = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Properties: z.unknown().optional(),
      Metadata: z.object({ 'aws:cdk:path': z.string() }).partial().optional(),
    }),
  ),
});

/** Where a template names a dead-letter queue: redrive policies, functions and rules, event source mappings. */
const deadLetterKeys = ['deadLetterTargetArn', 'DeadLetterConfig', 'OnFailure'];
const attribute = z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) });

/** The dead-letter queues of a synthesised app, by the names of their alarms. */
export function deadLetterQueuesIn(assemblyFolder: string): string[] {
  const [file = ''] = readdirSync(assemblyFolder).filter((name) => name.endsWith('.template.json'));
  const { Resources } = template.parse(JSON.parse(readFileSync(join(assemblyFolder, file), 'utf8')));
  const found = new Set(Object.values(Resources).flatMap(({ Properties }) => targetsIn(Properties, false)));
  const alarmOf = (logicalId: string) =>
    (Resources[logicalId]?.Metadata?.['aws:cdk:path'] ?? logicalId).split('/').slice(-3, -1).join('');
  return [...found].map(alarmOf);
}

function targetsIn(value: unknown, isTarget: boolean): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { success, data } = attribute.safeParse(value);
  if (success) return isTarget ? [data['Fn::GetAtt'][0]] : [];
  return Object.entries(value).flatMap(([key, one]) => targetsIn(one, isTarget || deadLetterKeys.includes(key)));
}

/** URL of the queue whose name has this part. */
export async function queueNamed(part: string): Promise<string> {
  const { QueueUrls = [] } = await queues().send(new ListQueuesCommand());
  const found = QueueUrls.filter((url) => url.includes(part));
  if (found.length !== 1) throw new Error(`${found.length} queues are named ${part}`);
  return found.join('');
}

/** How many messages wait in a queue. */
export async function messagesIn(QueueUrl: string): Promise<number> {
  const AttributeNames = ['ApproximateNumberOfMessages' as const, 'ApproximateNumberOfMessagesNotVisible' as const];
  const { Attributes = {} } = await queues().send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  return Object.values(Attributes).reduce((sum, count) => sum + Number(count), 0);
}

/** Whether a queue has at least so many messages; waits before it says no. */
export async function hasMessages(QueueUrl: string, count: number): Promise<true | undefined> {
  if ((await messagesIn(QueueUrl)) >= count) return true;
  await pause(200);
  return undefined;
}
